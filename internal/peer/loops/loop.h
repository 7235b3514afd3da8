/* A loop to be timed: each program is main.c and one of them. */
#ifndef LOOP_H
#define LOOP_H

/* Makes ready, before the clock starts; 0 or an errno. */
int prepare(void);

/* Makes n ops; 0 or an errno. */
int run(unsigned long n);

#endif
