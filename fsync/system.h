/* What the set-up and the check ask of Linux themselves, so that only the ops reach libc. */
#ifndef LIBCOST_FSYNC_SYSTEM_H
#define LIBCOST_FSYNC_SYSTEM_H

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
#if defined(__x86_64__)
enum { SYS_WRITE = 1, SYS_CLOSE = 3, SYS_LSEEK = 8, SYS_PREAD64 = 17, SYS_PWRITE64 = 18, SYS_GETPID = 39,
	SYS_FSYNC = 74, SYS_FDATASYNC = 75, SYS_FSTATFS = 138, SYS_OPENAT = 257, SYS_UNLINKAT = 263 };
enum { O_DIRECT = 040000 };
#elif defined(__aarch64__)
enum { SYS_UNLINKAT = 35, SYS_FSTATFS = 44, SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_LSEEK = 62, SYS_WRITE = 64,
	SYS_PREAD64 = 67, SYS_PWRITE64 = 68, SYS_FSYNC = 82, SYS_FDATASYNC = 83, SYS_GETPID = 172 };
enum { O_DIRECT = 0200000 };
#endif

/* Linux: include/uapi/linux/fcntl.h, asm-generic/fcntl.h and linux/fs.h. */
enum { AT_FDCWD = -100, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_DSYNC = 010000, O_CLOEXEC = 02000000,
	O_PATH = 010000000 };
enum { SEEK_END = 2 };

/* Linux: include/uapi/linux/magic.h. */
enum { EXT4_SUPER_MAGIC = 0xef53, XFS_SUPER_MAGIC = 0x58465342, TMPFS_MAGIC = 0x01021994 };

/* Linux: include/uapi/asm-generic/errno-base.h. */
enum { FSYNC_ENOSPC = 28 };

#endif
