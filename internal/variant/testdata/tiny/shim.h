#ifndef LIBCOST_TINY_SHIM_H
#define LIBCOST_TINY_SHIM_H

#include "gang.h"

extern const struct kernel tiny_kernels[];

#endif
