// TINY marks the functions that a compile-time filter would leave out: they are instrumented, but not with -DCOARSE.
#pragma once
#include <cstdio>
#include <cstdlib>

#ifdef COARSE
#define TINY __attribute__((no_instrument_function))
#else
#define TINY
#endif

TINY inline int size_argument(int argc, char** argv) { return argc > 1 ? std::atoi(argv[1]) : 10; }
