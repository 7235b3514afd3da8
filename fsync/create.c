#include "file.h"

static char *fsync_decimal(char *to, unsigned long v)
{
	if (v > 9) to = fsync_decimal(to, v / 10);
	*to = '0' + v % 10;
	return to + 1;
}

/* libcost-PID-ADDRESS: the address tells the runs of one process apart. */
static void fsync_name(struct writer *w)
{
	static const char prefix[] = "libcost-";
	char *end = w->name;
	for (const char *p = prefix; *p; p++) *end++ = *p;
	end = fsync_decimal(end, gang_syscall(SYS_GETPID, 0, 0, 0, 0, 0, 0));
	*end++ = '-';
	*fsync_decimal(end, (unsigned long)w) = 0;
}

static void fsync_unname(struct writer *w, int dir)
{
	gang_syscall(SYS_UNLINKAT, dir, (long)w->name, 0, 0, 0, 0);
	w->name[0] = 0;
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

static int fsync_open(const struct writer *w, int dir, int flags)
{
	return gang_syscall(SYS_OPENAT, dir, (long)w->name, O_RDWR | O_CLOEXEC | flags, 0600, 0, 0);
}

/*
 * The file loses its name at once if it can, so that not even a kill leaves it
 * behind.  open(2) says EINVAL where the file system knows no O_DIRECT.
 */
int fsync_create(struct writer *w, int dir, int flags)
{
	fsync_name(w);
	w->fd = w->to = fsync_open(w, dir, O_CREAT | O_EXCL);
	if (w->fd < 0) {
		w->name[0] = 0;
		return -w->fd;
	}
	if (flags) w->to = fsync_open(w, dir, flags);
	if (fsync_needs_no_name(w->fd)) fsync_unname(w, dir);
	if (w->to == -GANG_EINVAL && flags & O_DIRECT) return GANG_EOPNOTSUPP;
	return w->to < 0 ? -w->to : 0;
}

void fsync_close(struct writer *w, int dir)
{
	if (w->name[0]) fsync_unname(w, dir);
	if (w->to != w->fd) gang_syscall(SYS_CLOSE, w->to, 0, 0, 0, 0, 0);
	gang_syscall(SYS_CLOSE, w->fd, 0, 0, 0, 0, 0);
}
