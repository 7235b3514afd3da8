/*
 * Where syscalls_symbol finds symbols in an image:
 *
 *	symbol FILE SYMBOL...
 *
 * Prints each symbol's place from the image's start, -1 if it is not found.
 * FILE is a shared library, mapped as the kernel maps a vDSO, unrelocated;
 * "vdso" and "loader" are those of this process.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

const void *syscalls_symbol(const void *header, const char *name);

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

static const char *image(const char *name)
{
	if (!strcmp(name, "vdso")) return (const char *)getauxval(AT_SYSINFO_EHDR);
	if (!strcmp(name, "loader")) return (const char *)getauxval(AT_BASE);
	return map(name);
}

int main(int argc, char **argv)
{
	const char *base = image(argv[1]);
	if (!base) return 1;
	for (int i = 2; i < argc; i++) {
		const char *found = syscalls_symbol(base, argv[i]);
		printf("%ld\n", found ? (long)(found - base) : -1L);
	}
	return syscalls_symbol(0, "any") != 0;
}
