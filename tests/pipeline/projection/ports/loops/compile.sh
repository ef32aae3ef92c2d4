#!/bin/sh
# Writes the assembly of loops.cpp, of which the tests keep some functions; Debian 12: g++ 12.2, g++-aarch64-linux-gnu 12.2.
cd "$(dirname "$0")" || exit 1
common="-S -O3 -ffast-math -fno-asynchronous-unwind-tables -fno-math-errno -fno-ident"
g++ $common -march=x86-64-v3 loops.cpp -o avx2.s
g++ $common -march=x86-64-v4 -mprefer-vector-width=512 loops.cpp -o avx512.s
aarch64-linux-gnu-g++ $common -mcpu=neoverse-v1 loops.cpp -o sve.s
