/* Memory bandwidth by locality, as a machine file for vector loops wants it (docs/explanations/vector-loops.md).
 *
 *     cc -O3 -march=native -ffast-math -pthread membench.c -o membench && ./membench > bandwidth.toml
 *
 * For each cell of the table a kernel sums elements of an array, and the bytes it asked for are divided by the time:
 *   SL  spatial locality   0 random elements    1 every fourth element   2 neighbouring elements
 *   TL  temporal locality  0 from memory        1 from a shared cache    2 from the first-level cache
 *   MV  first digit: all threads (each on data of its own) or one; second: vectorised by the compiler or scalar.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__clang__)
#define SCALAR __attribute__((noinline))
#define SCALAR_LOOP _Pragma("clang loop vectorize(disable)")
#else
#define SCALAR __attribute__((noinline, optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#define SCALAR_LOOP
#endif
#define VECTOR __attribute__((noinline))

enum { STRIDE = 4, REPEATS = 20, MOST_THREADS = 256 };
static const double LEAST_SECONDS = 0.02;
static const size_t ELEMENTS[3] = {(size_t)16 << 20, (size_t)64 << 10, (size_t)2 << 10};

/* Independent sums, 16 scalars or 64 in vectors, so that the latency of an addition does not hide the memory. */
#define SUM(NAME, KIND, LOOP, SUMS, STEPS, ELEMENT)                                              \
    KIND static double NAME(const double *restrict a, const uint32_t *restrict where, size_t n)  \
    {                                                                                            \
        double s[SUMS] = {0}, all = 0;                                                           \
        (void)where;                                                                             \
        for (size_t first = 0; first < STEPS; first++)                                           \
            for (size_t i = 0; i < n / STEPS; i += SUMS)                                         \
                LOOP for (size_t j = 0; j < SUMS; j++) s[j] += a[ELEMENT];                       \
        for (size_t j = 0; j < SUMS; j++) all += s[j];                                           \
        return all;                                                                              \
    }

SUM(scalar_random, SCALAR, SCALAR_LOOP, 16, 1, where[i + j])
SUM(scalar_strided, SCALAR, SCALAR_LOOP, 16, STRIDE, (i + j) * STRIDE + first)
SUM(scalar_adjacent, SCALAR, SCALAR_LOOP, 16, 1, i + j)
SUM(vector_random, VECTOR, , 64, 1, where[i + j])
SUM(vector_strided, VECTOR, , 64, STRIDE, (i + j) * STRIDE + first)
SUM(vector_adjacent, VECTOR, , 64, 1, i + j)

typedef double kernel(const double *a, const uint32_t *where, size_t n);
static kernel *const TABLE[2][3] = {
    {scalar_random, scalar_strided, scalar_adjacent},
    {vector_random, vector_strided, vector_adjacent},
};

struct work {
    kernel *run;
    double *a;
    uint32_t *where;
    size_t n, passes;
    double sum;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *worker(void *given)
{
    struct work *w = given;
    for (size_t pass = 0; pass < w->passes; pass++) w->sum += w->run(w->a, w->where, w->n);
    return NULL;
}

static double seconds(struct work *works, int threads)
{
    pthread_t ids[MOST_THREADS];
    double start = now();
    for (int t = 1; t < threads; t++)
        if (pthread_create(&ids[t], NULL, worker, &works[t])) exit(2);
    worker(&works[0]);
    for (int t = 1; t < threads; t++) pthread_join(ids[t], NULL);
    return now() - start;
}

static void fill(struct work *w)
{
    uint64_t state = 88172645463325252ull;
    for (size_t i = 0; i < w->n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        w->a[i] = 1.0, w->where[i] = (uint32_t)(state % w->n);
    }
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The best of the runs, and the deviation of the better half: what disturbs a run only makes it slower. */
static void measure(struct work *works, int threads, double *best, double *deviation)
{
    double rates[REPEATS], total = 0, squares = 0, half = REPEATS / 2;
    for (int t = 0; t < threads; t++) works[t].passes = 1;
    while (seconds(works, threads) < LEAST_SECONDS)
        for (int t = 0; t < threads; t++) works[t].passes *= 2;
    double bytes = 8.0 * (double)works[0].n * (double)works[0].passes * threads;
    for (int r = 0; r < REPEATS; r++) rates[r] = bytes / seconds(works, threads) / 1e9;
    qsort(rates, REPEATS, sizeof *rates, falling);
    for (int r = 0; r < half; r++) total += rates[r], squares += rates[r] * rates[r];
    *best = rates[0];
    *deviation = sqrt(fmax(0, squares / half - total * total / half / half)) / *best;
}

int main(void)
{
    long found = sysconf(_SC_NPROCESSORS_ONLN);
    int all = found < 1 ? 1 : found > MOST_THREADS ? MOST_THREADS : (int)found;
    struct work works[MOST_THREADS] = {0};
    for (int t = 0; t < all; t++) {
        works[t].a = malloc(sizeof(double) * ELEMENTS[0]);
        works[t].where = malloc(sizeof(uint32_t) * ELEMENTS[0]);
        if (!works[t].a || !works[t].where) return 2;
    }
    printf("# %d threads; best GB/s of elements asked for, and the deviation of the better runs\n", all);
    for (int tl = 0; tl < 3; tl++) {
        for (int t = 0; t < all; t++) works[t].n = ELEMENTS[tl], fill(&works[t]);
        for (int m = 0; m < 2; m++)
            for (int v = 0; v < 2; v++) {
                printf("[values.bandwidth.tl%d.mv%d%d]\n", tl, m, v);
                for (int sl = 0; sl < 3; sl++) {
                    double best, deviation;
                    for (int t = 0; t < all; t++) works[t].run = TABLE[v][sl];
                    measure(works, m ? all : 1, &best, &deviation);
                    printf("sl%d = \"%.3g GB/s +- %.1f %%\"\n", sl, best, 100 * deviation);
                }
            }
    }
    double check = 0;
    for (int t = 0; t < all; t++) check += works[t].sum;
    return check > 0 ? 0 : 2;
}
