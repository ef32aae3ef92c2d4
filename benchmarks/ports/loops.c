// Loops of several kinds, one chosen by -DKERNEL=name, and their cycles per element with data in the first-level
// cache: best of many calls, by a chain of additions that takes a cycle each. -DONLY_KERNEL leaves the timing out.
#include <math.h>
#include <stddef.h>

#define LOOP(name, ...)                                                                                        \
    void name(size_t n, const double *restrict a, const double *restrict b, double *restrict c) {              \
        __VA_ARGS__                                                                                            \
    }
#define EACH for (size_t i = 0; i < n; i++)

LOOP(polynomial, EACH {
    double x = a[i];
    c[i] = ((((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6) * x + 0.7) * x + b[i];
})
LOOP(force, EACH {
    double r2 = a[i] * a[i] + b[i] * b[i] + 0.01, inverse = 1.0 / r2, r6 = inverse * inverse * inverse;
    c[i] = 24.0 * inverse * r6 * (2.0 * r6 - 1.0) / sqrt(r2);
})
LOOP(stencil, for (size_t i = 2; i < n - 2; i++) {
    c[i] = 0.1 * (a[i - 2] + a[i + 2]) + 0.3 * (a[i - 1] + a[i + 1]) - b[i] * a[i];
})
LOOP(norm, double sum = 0; EACH {
    double d = a[i] - b[i];
    sum += d * d;
} c[0] = sum;)
LOOP(limiter, EACH {
    double p = a[i], q = b[i], smaller = fabs(p) < fabs(q) ? p : q;
    c[i] = p * q > 0 ? smaller * (p + q) / (p + 1.5) : 0.0;
})
LOOP(update, EACH { c[i] += 1.7 * a[i] + b[i]; })
LOOP(recurrence, double x = 0; EACH { c[i] = x = 0.5 * x + a[i] * b[i]; })
LOOP(complex_product, for (size_t i = 0; i + 1 < n; i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
})
LOOP(indirect, const unsigned short *at = (const unsigned short *)b; EACH { c[i] += 0.3 * a[at[i] & 511]; })
LOOP(maximum, double most = 0; EACH { most = a[i] * b[i] > most ? a[i] * b[i] : most; } c[0] = most;)

#ifndef ONLY_KERNEL
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(void) {
    enum { N = 1024, CALLS = 20, ROUNDS = 3000, ADDITIONS = 100000 };
    double *a = aligned_alloc(64, 8 * N), *b = aligned_alloc(64, 8 * N), *c = aligned_alloc(64, 8 * N);
    double best = 1e9, cycle = 1e9;
    for (size_t i = 0; i < N; i++) a[i] = 0.5 + i * 1e-3, b[i] = 0.7 - i * 1e-4, c[i] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int call = 0; call < CALLS; call++) {
            KERNEL(N, a, b, c);
            __asm__ volatile("" ::"r"(c) : "memory");
        }
        double took = (now() - start) / CALLS / N;
        best = took < best ? took : best;
        if (round % 100) continue;
        unsigned long x = 1;
        start = now();
        for (int i = 0; i < ADDITIONS; i++) __asm__ volatile("add %0, %0" : "+r"(x));
        took = (now() - start) / ADDITIONS;
        cycle = took < cycle ? took : cycle;
    }
    printf("%.4f %.4f\n", best / cycle, 1e-9 / cycle);
    return 0;
}
#endif
