package gang

import "golang.org/x/sys/unix"

// fileSystems are those that refuse O_DIRECT in some or all of their versions.
var fileSystems = map[int64]string{
	unix.TMPFS_MAGIC:           "tmpfs",
	unix.RAMFS_MAGIC:           "ramfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	unix.FUSE_SUPER_MAGIC:      "fuse",
	unix.V9FS_MAGIC:            "9p",
	unix.ECRYPTFS_SUPER_MAGIC:  "ecryptfs",
}

// onFileSystem says that the file system of dir lacks something, "" if it is
// nothing.
func onFileSystem(lacks, dir string) string {
	if lacks == "" {
		return ""
	}
	name := "this file system"
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) == nil && fileSystems[int64(fs.Type)] != "" {
		name = fileSystems[int64(fs.Type)]
	}
	return lacks + " not supported on " + name + " (DIR=a directory on a disk)"
}
