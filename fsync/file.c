#include "file.h"

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_CLOSE = 3, SYS_LSEEK = 8, SYS_PREAD64 = 17, SYS_PWRITE64 = 18, SYS_GETPID = 39, SYS_FSYNC = 74,
	SYS_FSTATFS = 138, SYS_OPENAT = 257, SYS_UNLINKAT = 263 };
#elif defined(__aarch64__)
enum { SYS_UNLINKAT = 35, SYS_FSTATFS = 44, SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_LSEEK = 62, SYS_PREAD64 = 67,
	SYS_PWRITE64 = 68, SYS_FSYNC = 82, SYS_GETPID = 172 };
#endif

/* Linux: include/uapi/linux/fcntl.h, asm-generic/fcntl.h and linux/fs.h. */
enum { AT_FDCWD = -100, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_CLOEXEC = 02000000, O_PATH = 010000000 };
enum { SEEK_END = 2 };

/* Linux: include/uapi/linux/magic.h. */
enum { EXT4_SUPER_MAGIC = 0xef53, XFS_SUPER_MAGIC = 0x58465342, TMPFS_MAGIC = 0x01021994 };

enum { HEAD = 4096, SLOTS = 1024 };

static size_t fsync_bytes(size_t size)
{
	return HEAD + 2 * size;
}

static char *fsync_decimal(char *to, unsigned long v)
{
	if (v > 9) to = fsync_decimal(to, v / 10);
	*to = '0' + v % 10;
	return to + 1;
}

/* libcost-PID-ADDRESS: the address tells the runs of one process apart. */
static void fsync_name(struct file *f)
{
	static const char prefix[] = "libcost-";
	char *end = f->name;
	for (const char *p = prefix; *p; p++) *end++ = *p;
	end = fsync_decimal(end, gang_syscall(SYS_GETPID, 0, 0, 0, 0, 0, 0));
	*end++ = '-';
	*fsync_decimal(end, (unsigned long)f) = 0;
}

static void fsync_unname(struct file *f)
{
	gang_syscall(SYS_UNLINKAT, f->dir, (long)f->name, 0, 0, 0, 0);
	f->name[0] = 0;
}

/*
 * Whether a file without a name is synced as any other.  btrfs left such a
 * file out of its log until 2025 ("btrfs: fix fsync of files with no hard
 * links not persisting deletion"), and in Linux 6.18 overwriting one takes half
 * the time; f2fs makes each sync of one a checkpoint.  Where it is not known
 * the file keeps its name: overlayfs, for one, hides what lies below.
 */
static int fsync_needs_no_name(int fd)
{
	long fs[15];	/* struct statfs: the type comes first */
	if (gang_syscall(SYS_FSTATFS, fd, (long)fs, 0, 0, 0, 0)) return 0;
	return fs[0] == EXT4_SUPER_MAGIC || fs[0] == XFS_SUPER_MAGIC || fs[0] == TMPFS_MAGIC;
}

/* The file loses its name at once if it can, so that not even a kill leaves it behind. */
static int fsync_create(struct file *f, const char *dir)
{
	f->dir = gang_syscall(SYS_OPENAT, AT_FDCWD, (long)dir, O_PATH | O_CLOEXEC, 0, 0, 0);
	if (f->dir < 0) return -f->dir;
	fsync_name(f);
	f->fd = gang_syscall(SYS_OPENAT, f->dir, (long)f->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
	if (f->fd < 0) return -f->fd;
	if (fsync_needs_no_name(f->fd)) fsync_unname(f);
	return 0;
}

/* Writes the slots and syncs: the first op finds nothing left over from the set-up. */
static int fsync_prepare(struct file *f)
{
	for (size_t i = 0; i < f->slots; i++) {
		long r = gang_syscall(SYS_PWRITE64, f->fd, (long)f->block, f->size, i * f->size, 0, 0);
		if (r != f->size) return r < 0 ? -r : FSYNC_ENOSPC;
	}
	return -gang_syscall(SYS_FSYNC, f->fd, 0, 0, 0, 0, 0);
}

int fsync_file_new(const struct shape *s, void **state)
{
	size_t size = gang_num(s->row, "size", 0);
	struct file *f = gang_map(fsync_bytes(size));
	if (!f) return GANG_ENOMEM;
	f->fd = -1;
	f->size = size;
	f->slots = gang_is(s->row, "file", "append") ? 0 : SLOTS;
	f->block = (uint64_t *)((char *)f + HEAD);
	f->back = f->block + size / sizeof *f->block;
	int err = fsync_create(f, s->dir);
	if (!err) err = fsync_prepare(f);
	if (err) {
		fsync_file_free(f);
		return err;
	}
	/* Random, or a file system that compresses would have less to write. */
	uint64_t seed = 1;
	for (size_t i = 0; i < size / sizeof seed; i++) f->block[i] = gang_random(&seed);
	*state = f;
	return 0;
}

static int fsync_holds(struct file *f, size_t slot, uint64_t op)
{
	size_t words = f->size / sizeof op;
	long r = gang_syscall(SYS_PREAD64, f->fd, (long)f->back, f->size, slot * f->size, 0, 0);
	fsync_stamp(f, op);
	for (size_t i = 0; i < words; i++)
		if (f->back[i] != f->block[i]) return 0;
	return r == f->size;
}

int fsync_file_check(void *state, unsigned long n, uint64_t *digest)
{
	struct file *f = state;
	size_t length = f->slots ? f->slots : n;
	size_t blocks = f->slots && f->slots < n ? f->slots : n;
	*digest = gang_digest(gang_digest(GANG_DIGEST, f->size), f->done);
	if (gang_syscall(SYS_LSEEK, f->fd, 0, SEEK_END, 0, 0, 0) != length * f->size) return GANG_EWRONG;
	for (size_t b = 0; b < blocks; b++) {
		uint64_t last = n - 1 - (n - 1 - b) % blocks;
		if (!fsync_holds(f, b, last)) return GANG_EWRONG;
		*digest = gang_digest(*digest, last);
	}
	return 0;
}

void fsync_file_free(void *state)
{
	struct file *f = state;
	if (f->fd >= 0 && f->name[0]) fsync_unname(f);
	gang_syscall(SYS_CLOSE, f->fd, 0, 0, 0, 0, 0);
	gang_syscall(SYS_CLOSE, f->dir, 0, 0, 0, 0, 0);
	gang_unmap(f, fsync_bytes(f->size));
}
