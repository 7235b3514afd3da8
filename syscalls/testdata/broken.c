/* A lock that lets everybody in: the thread sanitizer has to say so. */
int pthread_mutex_lock(void *lock)
{
	return 0;
}

int pthread_mutex_unlock(void *lock)
{
	return 0;
}
