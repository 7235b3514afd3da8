/* PLANTED stands in the package's own flags. */
int alloc_flags(void)
{
#ifdef PLANTED
	return 2;
#else
	return 1;
#endif
}
