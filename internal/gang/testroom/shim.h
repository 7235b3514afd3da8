/* Kernels that do as their row says, to test the gang with. */
#ifndef LIBCOST_TESTROOM_SHIM_H
#define LIBCOST_TESTROOM_SHIM_H

#include "gang.h"

extern const struct kernel testroom_kernels[];

#endif
