/*
 * Where syscalls_vdso finds symbols in an image:
 *
 *	vdso FILE SYMBOL...
 *
 * Prints each symbol's place from the image's start, -1 if it is not found.
 * FILE is a shared library, mapped as the kernel maps a vDSO, unrelocated;
 * "-" is the vDSO itself.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

const void *syscalls_vdso(const void *header, const char *name);

static const char *map(const char *file)
{
	enum { SPACE = 1 << 20 };
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	int fd = open(file, O_RDONLY);
	char *at = mmap(0, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pread(fd, &header, sizeof header, 0) != sizeof header) return 0;
	for (int i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment) != sizeof segment) return 0;
		if (segment.p_type != PT_LOAD) continue;
		if (segment.p_vaddr + segment.p_filesz > SPACE) return 0;
		if (pread(fd, at + segment.p_vaddr, segment.p_filesz, segment.p_offset) < 0) return 0;
	}
	return at;
}

int main(int argc, char **argv)
{
	const char *base = strcmp(argv[1], "-") ? map(argv[1]) : (const char *)getauxval(AT_SYSINFO_EHDR);
	if (!base) return 1;
	for (int i = 2; i < argc; i++) {
		const char *found = syscalls_vdso(base, argv[i]);
		printf("%ld\n", found ? (long)(found - base) : -1L);
	}
	return syscalls_vdso(0, "any") != 0;
}
