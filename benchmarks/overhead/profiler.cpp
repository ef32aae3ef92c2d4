// A call-path profiler in the manner of Score-P: a call tree per thread whose siblings are searched at every enter,
// time stamps at enter and exit, and per call path visits and inclusive time (sum, minimum, maximum). At the end the
// trees of all threads become one. What threads call first stands beside `main` there.
//
// Link it to a program compiled with -finstrument-functions. At the end of the program it writes to $OVERHEAD_OUT:
// first wall and CPU seconds of the whole run, then one line per call path in preorder:
//     parent address visits nanoseconds minimum maximum name
//     (the name is known of functions in shared libraries, "?" of others)
// Without instrumented functions there is the first line only. -DTSC takes the time stamp counter of x86 processors.

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#ifdef TSC
#include <x86intrin.h>
#endif

#define UNSEEN __attribute__((no_instrument_function))

namespace {

struct Node {
    void* function;
    Node *caller, *callee, *sibling;
    uint64_t visits, sum, least, most;
};

struct Frame {
    Node* node;
    uint64_t start;
};

constexpr int MOST_DEPTH = 1 << 16, PER_CHUNK = 1024, MOST_THREADS = 256;

bool recording = false;
Node* roots[MOST_THREADS];
std::atomic<int> threads{0};
thread_local Frame frames[MOST_DEPTH];
thread_local int depth = -1;
thread_local Node* chunk = nullptr;
thread_local int used = PER_CHUNK;
uint64_t first_tick, first_wall, first_cpu;
double nanoseconds_per_tick = 1.0;

UNSEEN uint64_t clock_of(clockid_t id) {
    timespec t;
    clock_gettime(id, &t);
    return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

UNSEEN inline uint64_t now() {
#ifdef TSC
    return __rdtsc();
#else
    return clock_of(CLOCK_MONOTONIC);
#endif
}

UNSEEN Node* make(void* function, Node* caller) {
    if (used == PER_CHUNK) {
        chunk = static_cast<Node*>(malloc(PER_CHUNK * sizeof(Node)));
        used = 0;
    }
    Node* node = chunk + used++;
    *node = {function, caller, nullptr, nullptr, 0, 0, ~uint64_t(0), 0};
    return node;
}

UNSEEN Node* find(Node* caller, void* function) {
    Node** place = &caller->callee;
    while (*place && (*place)->function != function) place = &(*place)->sibling;
    if (!*place) *place = make(function, caller);
    return *place;
}

UNSEEN void start_thread(uint64_t time) {
    const int thread = threads++;
    if (thread >= MOST_THREADS) abort();
    roots[thread] = make(nullptr, nullptr);
    frames[++depth] = {roots[thread], time};
}

UNSEEN void merge(Node* into, const Node* from) {
    for (const Node* callee = from->callee; callee; callee = callee->sibling) {
        Node* same = find(into, callee->function);
        same->visits += callee->visits;
        same->sum += callee->sum;
        if (callee->least < same->least) same->least = callee->least;
        if (callee->most > same->most) same->most = callee->most;
        merge(same, callee);
    }
}

UNSEEN void leave(uint64_t time) {
    Frame& frame = frames[depth--];
    Node* node = frame.node;
    const uint64_t took = time - frame.start;
    node->visits++;
    node->sum += took;
    if (took < node->least) node->least = took;
    if (took > node->most) node->most = took;
}

UNSEEN int write(FILE* out, const Node* node, int parent, int number) {
    const double f = nanoseconds_per_tick;
    Dl_info found{};  // names what lies in shared libraries: bodies inlined from headers have the library's address
    dladdr(node->function, &found);
    fprintf(out, "%d %p %llu %.1f %.1f %.1f %s\n", parent, node->function, (unsigned long long)node->visits,
            f * node->sum, f * node->least, f * node->most, found.dli_sname ? found.dli_sname : "?");
    int next = number + 1;
    for (const Node* callee = node->callee; callee; callee = callee->sibling) next = write(out, callee, number, next);
    return next;
}

UNSEEN __attribute__((constructor)) void begin() {
    first_wall = clock_of(CLOCK_MONOTONIC);
    first_cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    first_tick = now();
    start_thread(first_tick);
    recording = true;
}

UNSEEN __attribute__((destructor)) void end() {
    recording = false;
    const uint64_t last = now();
    while (depth >= 0) leave(last);  // all that exit() cut short, and the root
    const uint64_t wall = clock_of(CLOCK_MONOTONIC) - first_wall;
    const uint64_t cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - first_cpu;
#ifdef TSC
    nanoseconds_per_tick = double(wall) / double(last - first_tick);
#endif
    const char* name = getenv("OVERHEAD_OUT");
    FILE* out = name ? fopen(name, "w") : nullptr;
    if (!out) return;
    fprintf(out, "%.9f %.9f\n", 1e-9 * wall, 1e-9 * cpu);
    for (int thread = 1; thread < threads; ++thread) merge(roots[0], roots[thread]);
    const Node* root = roots[0];
    if (root->callee) write(out, root, -1, 0);
    fclose(out);
}

}  // namespace

extern "C" UNSEEN void __cyg_profile_func_enter(void* function, void*) {
    if (!recording) return;
    if (depth + 1 >= MOST_DEPTH) abort();
    const uint64_t time = now();
    if (depth < 0) start_thread(time);
    Node* node = find(frames[depth].node, function);
    frames[++depth] = {node, time};
}

extern "C" UNSEEN void __cyg_profile_func_exit(void*, void*) {
    if (!recording) return;
    leave(now());
}
