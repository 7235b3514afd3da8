#include "locks.h"

enum { NEW, RUNNING, DONE, SLEEPERS };

/*
 * A function that is cancelled, throws or forks leaves its control RUNNING in
 * the child or for ever, where libc's starts anew; no workload's does.
 */
int pthread_once(unsigned *control, void (*f)(void))
{
	for (;;) {
		unsigned state = __atomic_load_n(control, __ATOMIC_ACQUIRE);
		if (state == DONE) return 0;
		if (state == NEW && replace(control, NEW, RUNNING, __ATOMIC_ACQUIRE)) {
			f();
			if (__atomic_exchange_n(control, DONE, __ATOMIC_RELEASE) == SLEEPERS)
				swap_wake(control, 0x7fffffff);
			return 0;
		}
		if (state == RUNNING) replace(control, RUNNING, SLEEPERS, __ATOMIC_RELAXED);
		swap_wait(control, SLEEPERS, MONOTONIC, 0);
	}
}
