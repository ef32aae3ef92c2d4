/* What one node can do: clock, peaks of arithmetic, bandwidths and latencies of memory and caches.
 *
 *     cc -O3 -march=native -pthread node.c -o node
 *     ./node ROUNDS SECONDS L1 L2 L3 MEMORY DOMAIN CPU...
 *
 * L1, L2, L3 and MEMORY are the bytes that every core works on for that level (0: there is no such level), MEMORY, the
 * largest of them, in each of the three arrays of the triad, and three times that for the latency; the first DOMAIN of the CPUs are one NUMA domain. Every round prints each
 * figure once, "name value" in SI units, so that the spread of a figure is that over the whole run; after so many
 * SECONDS no further round begins, but there are at least three. What a core does on its own is timed with the clock
 * of its thread, which stands still while other programs run; what the cores share, with that on the wall. Beside the
 * latter "share_name value" is the least that a thread had of its core meanwhile: 1 if nothing else ran. Linux only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__AVX512F__) || (defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 512)
enum { WIDTH = 8 };
#elif defined(__AVX__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vector __attribute__((vector_size(sizeof(double) * WIDTH)));

/* Keeps a value in a register of its own: the compiler neither merges nor vectorises what it does not see through. */
#if defined(__x86_64__)
#define KEEP(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define KEEP(x) __asm__ volatile("" : "+w"(x))
#else
#define KEEP(x) __asm__ volatile("" : "+d"(x))
#endif
#define KEEP_INTEGER(x) __asm__ volatile("" : "+r"(x))

enum { LINE = 64, PAGE = 2 << 20, TRIES = 3, MOST_TRIES = 60, SHORTER = 8, PARTS = 64, LEAST_ROUNDS = 3 };
static const double LEAST_SECONDS = 0.01, UNDISTURBED = 0.97; /* share of a core */

struct work {
    pthread_t thread;
    int cpu;
    size_t n;            /* bytes of an array */
    double *a, *b, *c;
    uint64_t passes, part;
    double result;
    const struct kernel *kernel;
    pthread_barrier_t *barrier;
    double *start, *stop, *own;
};

struct kernel {
    const char *name;
    void (*run)(struct work *, uint64_t passes);
    double amount; /* operations of a pass, or bytes per byte of `n` */
    int per_byte, shared;
};

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Independent chains of operations, at least latency times pipes: 2 x 5 on x86-64, with its 16 registers; 4 x 4 on
 * Neoverse V2 and 2 x 9 on A64FX, with 32 registers. */
#define TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#if defined(__x86_64__)
enum { CHAINS = 12 };
#define EACH(DO) TWELVE(DO)
#else
enum { CHAINS = 20 };
#define EACH(DO) TWELVE(DO) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19)
#endif
#define DECLARE(k) , x##k = start
#define FUSED(k) x##k = x##k * factor + term; KEEP(x##k);
#define APART(k) x##k = x##k * factor; KEEP(x##k);
#define ADDED(k) x##k = x##k + term; KEEP(x##k);
#define DIVIDED(k) x##k = factor / x##k; KEEP(x##k);
#define ADDED_AGAIN(k) ADDED(0)
#define FUSED_AGAIN(k) FUSED(0)
#define TOTAL(k) total += x##k;
#define PEAK(NAME, TYPE, BODY)                                                     \
    static void NAME(struct work *w, uint64_t passes)                              \
    {                                                                              \
        TYPE start = (TYPE){0} + 1.0, factor = (TYPE){0} + 0.5, term = start;      \
        TYPE total = (TYPE){0} EACH(DECLARE);                                      \
        KEEP(factor);                                                              \
        KEEP(term);                                                                \
        for (uint64_t pass = 0; pass < passes; pass++) { BODY BODY BODY BODY }     \
        EACH(TOTAL)                                                                \
        w->result += *(double *)&total;                                            \
    }
PEAK(fused_scalar, double, EACH(FUSED))
PEAK(fused_vector, vector, EACH(FUSED))
PEAK(apart_vector, vector, EACH(APART) EACH(ADDED))
PEAK(divided_vector, vector, EACH(DIVIDED))
PEAK(added_chain, double, EACH(ADDED_AGAIN))
PEAK(fused_chain, double, EACH(FUSED_AGAIN))

/* A chain of additions, one cycle each, beside some vector arithmetic that sets the clock of vector code. */
#define STEP(k) count += one; KEEP_INTEGER(count);
static void cycles(struct work *w, uint64_t passes)
{
    vector start = (vector){0} + 1.0, factor = (vector){0} + 0.5, term = start;
    vector total = (vector){0} EACH(DECLARE);
    uint64_t count = 0, one = 1;
    KEEP_INTEGER(one);
    for (uint64_t pass = 0; pass < passes; pass++) { EACH(FUSED) EACH(STEP) EACH(STEP) EACH(STEP) EACH(STEP) }
    EACH(TOTAL)
    w->result += *(double *)&total + (double)count;
}

/* A pass is the next of the parts of the arrays, so that it is short. */
static void triad(struct work *w, uint64_t passes)
{
    double *restrict a = w->a, *restrict b = w->b, *restrict c = w->c, s = 0.5;
    for (size_t part = w->n / sizeof(double) / PARTS; passes > 0; passes--, w->part = (w->part + 1) % PARTS) {
        for (size_t i = part * w->part; i < part * (w->part + 1); i++) a[i] = b[i] + s * c[i];
        KEEP(s);
    }
    w->result += w->a[0];
}

/* Reads with CHAINS vector sums; n is a multiple of all of them. */
#define LOAD(k) x##k += data[i + k]; KEEP(x##k);
static void sum(struct work *w, uint64_t passes)
{
    vector start = (vector){0}, total = start EACH(DECLARE);
    const vector *data = (const vector *)w->a;
    for (uint64_t pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < w->n / sizeof(vector); i += CHAINS) { EACH(LOAD) }
    EACH(TOTAL)
    w->result += *(double *)&total;
}

/* Follows pointers through all lines of n bytes; a pass is 1024 of them. */
static void chase(struct work *w, uint64_t passes)
{
    void **at = (void **)w->b;
    for (uint64_t step = 0; step < 1024 * passes; step++) at = *at;
    w->b = (double *)at;
}

static const struct kernel
    HZ = {"hz", cycles, 4 * CHAINS, 0, 0},
    PEAK_SCALAR = {"peak_scalar", fused_scalar, 8 * CHAINS, 0, 0},
    PEAK_SIMD = {"peak_simd", apart_vector, 8 * CHAINS * WIDTH, 0, 0},
    PEAK_DP = {"peak_dp", fused_vector, 8 * CHAINS * WIDTH, 0, 0},
    PEAK_DIVIDE = {"peak_divide", divided_vector, 4 * CHAINS * WIDTH, 0, 0},
    CHAIN_ADD = {"latency_add", added_chain, 4 * CHAINS, 0, 0},
    CHAIN_FMA = {"latency_fma", fused_chain, 4 * CHAINS, 0, 0},
    TRIAD_CORE = {"bw_core", triad, 3.0 / PARTS, 1, 1},
    TRIAD_DOMAIN = {"bw_numa", triad, 3.0 / PARTS, 1, 1},
    TRIAD_NODE = {"bw_node", triad, 3.0 / PARTS, 1, 1},
    READ[3] = {{"bw_l1", sum, 1, 1, 0}, {"bw_l2", sum, 1, 1, 0}, {"bw_l3", sum, 1, 1, 1}},
    CHASE[4] = {{"latency_l1", chase, 1024, 0, 0}, {"latency_l2", chase, 1024, 0, 0}, {"latency_l3", chase, 1024, 0, 0},
                {"latency_memory", chase, 1024, 0, 0}};

static void *worker(void *given)
{
    struct work *w = given;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(w->cpu, &set);
    sched_setaffinity(0, sizeof set, &set); /* where that is forbidden, the scheduler's choice */
    pthread_barrier_wait(w->barrier);
    double start = now(CLOCK_MONOTONIC), own = now(CLOCK_THREAD_CPUTIME_ID);
    if (w->passes) w->kernel->run(w, w->passes);
    else /* first touch, so that memory is near the core that uses it */
        for (size_t i = 0; i < w->n / sizeof(double); i++) w->a[i] = w->b[i] = w->c[i] = 1.0;
    *w->own = now(CLOCK_THREAD_CPUTIME_ID) - own;
    *w->start = start, *w->stop = now(CLOCK_MONOTONIC);
    return NULL;
}

/* The time from the first start to the last end, or the mean of what the threads took of their cores; and the least
 * share that a thread had of its core. */
static double timed(struct work *works, int threads, int shared, double *share)
{
    double start[threads], stop[threads], own[threads], first, last, total = 0;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        works[t].barrier = &barrier, works[t].start = &start[t], works[t].stop = &stop[t];
        works[t].own = &own[t];
        if (pthread_create(&works[t].thread, NULL, worker, &works[t])) exit(3);
    }
    for (int t = 0; t < threads; t++) pthread_join(works[t].thread, NULL);
    pthread_barrier_destroy(&barrier);
    *share = 1;
    for (int t = 0; t < threads; t++) {
        total += own[t];
        if (own[t] < *share * (stop[t] - start[t])) *share = own[t] / (stop[t] - start[t]);
    }
    if (!shared) return total / threads;
    first = start[0], last = stop[0];
    for (int t = 1; t < threads; t++) {
        if (start[t] < first) first = start[t];
        if (stop[t] > last) last = stop[t];
    }
    return last - first;
}

/* Prints the rate of a kernel on the first `threads` cores, or the seconds of one of its operations: the best of a
 * few tries, since an interruption only makes it slower; of more, and shorter ones, if other programs run on these
 * cores. */
static void figure(const struct kernel *kernel, struct work *works, int threads, size_t n, int seconds)
{
    uint64_t passes = 1;
    double time, share;
    for (;;) {
        for (int t = 0; t < threads; t++) works[t].kernel = kernel, works[t].passes = passes, works[t].n = n;
        time = timed(works, threads, kernel->shared, &share);
        double ran = kernel->shared ? time * share : time; /* waiting for a core is no work */
        if (ran >= LEAST_SECONDS) break;
        passes = ran < LEAST_SECONDS / 64 ? 64 * passes : (uint64_t)((double)passes * 1.3 * LEAST_SECONDS / ran) + 1;
    }
    time /= (double)passes;
    for (int try = 1; try < TRIES || (kernel->shared && share < UNDISTURBED && try < MOST_TRIES); try++) {
        if (try == TRIES) /* between two turns of others */
            for (int t = 0; t < threads; t++) works[t].passes = passes / SHORTER + 1;
        double had, again = timed(works, threads, kernel->shared, &had) / (double)works[0].passes;
        if (again < time) time = again, share = had;
    }
    double amount = kernel->amount * threads * (kernel->per_byte ? (double)n : 1);
    printf("%s %.9g\n", kernel->name, seconds ? time * threads / amount : amount / time / (kernel == &HZ ? threads : 1));
    if (kernel->shared) printf("share_%s %.4g\n", kernel->name, share);
    fflush(stdout);
}

static double *array(size_t bytes)
{
    void *found = NULL;
    if (posix_memalign(&found, PAGE, (bytes + PAGE - 1) / PAGE * PAGE)) exit(4);
    madvise(found, bytes, MADV_HUGEPAGE);
    return found;
}

/* One cycle through all lines of n bytes in random order (Sattolo). */
static void link_lines(struct work *w, size_t n)
{
    size_t lines = n / LINE;
    char *base = (char *)w->a;
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t state = 88172645463325252ull;
    if (!order) exit(4);
    for (size_t i = 0; i < lines; i++) order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        size_t j = state % i;
        uint32_t kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (size_t i = 0; i < lines; i++) *(void **)(base + LINE * (size_t)order[i]) = base + LINE * (size_t)order[(i + 1) % lines];
    w->b = w->a;
    free(order);
}

int main(int count, char **given)
{
    if (count < 9) return 2;
    double began = now(CLOCK_MONOTONIC), seconds = atof(given[2]);
    int rounds = atoi(given[1]), domain = atoi(given[7]), cores = count - 8;
    size_t bytes[4];
    for (int level = 0; level < 4; level++) {
        size_t unit = (size_t)CHAINS * sizeof(vector) * 4;
        bytes[level] = strtoull(given[3 + level], NULL, 10) / unit * unit;
    }
    for (int level = 0; level < 3; level++)
        if (bytes[level] > bytes[3]) return 2;
    struct work *works = calloc((size_t)cores, sizeof *works), chasers[4] = {{0}};
    if (!works) return 4;
    for (int t = 0; t < cores; t++) {
        works[t].cpu = atoi(given[8 + t]), works[t].n = bytes[3];
        works[t].a = array(bytes[3]), works[t].b = array(bytes[3]), works[t].c = array(bytes[3]);
    }
    double touched;
    timed(works, cores, 1, &touched);
    for (int level = 0; level < 4; level++) {
        if (!bytes[level]) continue;
        chasers[level].cpu = works[0].cpu, chasers[level].a = array(bytes[level] * (level == 3 ? 3 : 1));
        link_lines(&chasers[level], bytes[level] * (level == 3 ? 3 : 1));
    }
    for (int round = 0; round < rounds; round++) {
        if (round >= LEAST_ROUNDS && now(CLOCK_MONOTONIC) - began > seconds) break;
        figure(&HZ, works, cores, 0, 0);
        figure(&PEAK_SCALAR, works, cores, 0, 0);
        figure(&PEAK_SIMD, works, cores, 0, 0);
        figure(&PEAK_DP, works, cores, 0, 0);
        figure(&PEAK_DIVIDE, works, cores, 0, 0);
        figure(&CHAIN_ADD, works, cores, 0, 1);
        figure(&CHAIN_FMA, works, cores, 0, 1);
        figure(&TRIAD_CORE, works, 1, bytes[3], 0);
        if (domain < cores) figure(&TRIAD_DOMAIN, works, domain, bytes[3], 0);
        figure(&TRIAD_NODE, works, cores, bytes[3], 0);
        for (int level = 0; level < 3; level++)
            if (bytes[level]) figure(&READ[level], works, cores, bytes[level], 0);
        for (int level = 0; level < 4; level++)
            if (bytes[level]) figure(&CHASE[level], &chasers[level], 1, bytes[level], 1);
    }
    double check = 0;
    for (int t = 0; t < cores; t++) check += works[t].result;
    return check > 0 ? 0 : 5;
}
