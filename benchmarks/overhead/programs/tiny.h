// TINY marks the functions that a compile-time filter would leave out: they are instrumented, but not with -DCOARSE.
#pragma once
#ifdef __cplusplus
#include <cstdio>
#include <cstdlib>
#else
#include <stdio.h>
#include <stdlib.h>
#endif

#ifdef COARSE
#define TINY __attribute__((no_instrument_function))
#else
#define TINY
#endif

TINY static inline int size_argument(int argc, char** argv) { return argc > 1 ? atoi(argv[1]) : 10; }
