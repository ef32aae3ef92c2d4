// Edge fluxes over the threads of a node: a mini-app (the base kernel of flux.cpp), two kernels that stand for the code it
// represents, and for each of those a kernel that moves the same data with next to no arithmetic. Every thread sweeps meshes of
// its own, as in the MG-CFD paper. Prints kernel, threads, cycles per edge of the busiest thread and the clock in GHz.
#define ONLY_KERNEL
#define flux mini
#include "flux.cpp"
#undef flux
#undef VARIABLES_TWICE
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

static const double GAMMA = 1.4;

// The target with fewer operations: edge lengths, reciprocals and fluxes of the second point are reused.
extern "C" __attribute__((noinline)) void light(long edges, const int *RESTRICT ends, const double *RESTRICT normal,
                                                const double *RESTRICT lengths, const double *RESTRICT q, double *RESTRICT out) {
  for (long i = 0; i < edges; ++i) {
    const long ia = VARIABLES * long(ends[2 * i]), ib = VARIABLES * long(ends[2 * i + 1]);
    const double *a = q + ia, *b = q + ib;
    const double x = normal[3 * i], y = normal[3 * i + 1], z = normal[3 * i + 2], length = lengths[i];
    const double ra = 1.0 / a[0], rb = 1.0 / b[0];
    const double ua = a[1] * ra, va = a[2] * ra, wa = a[3] * ra, ub = b[1] * rb, vb = b[2] * rb, wb = b[3] * rb;
    const double sa = ua * ua + va * va + wa * wa, sb = ub * ub + vb * vb + wb * wb;
    const double pa = 0.4 * (a[4] - 0.5 * a[0] * sa), pb = 0.4 * (b[4] - 0.5 * b[0] * sb);
    const double factor = -0.1 * length * (std::sqrt(sa) + std::sqrt(sb) + std::sqrt(GAMMA * pa * ra) + std::sqrt(GAMMA * pb * rb));
    const double fa = -0.5 * (x * ua + y * va + z * wa), fb = -0.5 * (x * ub + y * vb + z * wb), p = -0.5 * (pa + pb);
    double r[VARIABLES];
    r[0] = factor * (a[0] - b[0]) + fa * a[0] + fb * b[0];
    r[1] = factor * (a[1] - b[1]) + fa * a[1] + fb * b[1] + x * p;
    r[2] = factor * (a[2] - b[2]) + fa * a[2] + fb * b[2] + y * p;
    r[3] = factor * (a[3] - b[3]) + fa * a[3] + fb * b[3] + z * p;
    r[4] = factor * (a[4] - b[4]) + fa * (a[4] + pa) + fb * (b[4] + pb);
    for (int k = 0; k < VARIABLES; ++k) out[ia + k] += r[k];
    for (int k = 0; k < VARIABLES; ++k) out[ib + k] -= r[k];
  }
}

constexpr int GRADIENTS = 12;  // of the three velocities and the temperature

// The target with more operations: viscous stresses and heat flux of the mean gradients on top of the fluxes above.
extern "C" __attribute__((noinline)) void heavy(long edges, const int *RESTRICT ends, const double *RESTRICT normal,
                                                const double *RESTRICT lengths, const double *RESTRICT q, const double *RESTRICT g,
                                                double *RESTRICT out) {
  for (long i = 0; i < edges; ++i) {
    const long ia = VARIABLES * long(ends[2 * i]), ib = VARIABLES * long(ends[2 * i + 1]);
    const double *a = q + ia, *b = q + ib, *ga = g + GRADIENTS * long(ends[2 * i]), *gb = g + GRADIENTS * long(ends[2 * i + 1]);
    const double x = normal[3 * i], y = normal[3 * i + 1], z = normal[3 * i + 2];
    const double length = std::sqrt(x * x + y * y + z * z);
    const State A = state(a), B = state(b);
    const double factor = -0.1 * length * (A.speed + B.speed + A.sound + B.sound);
    const double fa = -0.5 * (x * A.u + y * A.v + z * A.w), fb = -0.5 * (x * B.u + y * B.v + z * B.w), p = -0.5 * (A.pressure + B.pressure);
    double m[GRADIENTS];
    for (int k = 0; k < GRADIENTS; ++k) m[k] = 0.5 * (ga[k] + gb[k]);
    const double temperature = 0.5 * (A.pressure / a[0] + B.pressure / b[0]);
    const double viscosity = temperature * std::sqrt(temperature) * 1.4 / (temperature + 0.4);
    const double divergence = (m[0] + m[4] + m[8]) * (2.0 / 3.0);
    const double xx = viscosity * (2 * m[0] - divergence), yy = viscosity * (2 * m[4] - divergence), zz = viscosity * (2 * m[8] - divergence);
    const double xy = viscosity * (m[1] + m[3]), xz = viscosity * (m[2] + m[6]), yz = viscosity * (m[5] + m[7]);
    const double tx = x * xx + y * xy + z * xz, ty = x * xy + y * yy + z * yz, tz = x * xz + y * yz + z * zz;
    const double u = 0.5 * (A.u + B.u), v = 0.5 * (A.v + B.v), w = 0.5 * (A.w + B.w);
    const double heat = viscosity * 4.9 * (x * m[9] + y * m[10] + z * m[11]);
    double r[VARIABLES];
    r[0] = factor * (a[0] - b[0]) + fa * a[0] + fb * b[0];
    r[1] = factor * (a[1] - b[1]) + fa * a[1] + fb * b[1] + x * p + tx;
    r[2] = factor * (a[2] - b[2]) + fa * a[2] + fb * b[2] + y * p + ty;
    r[3] = factor * (a[3] - b[3]) + fa * a[3] + fb * b[3] + z * p + tz;
    r[4] = factor * (a[4] - b[4]) + fa * (a[4] + A.pressure) + fb * (b[4] + B.pressure) + u * tx + v * ty + w * tz + heat;
    for (int k = 0; k < VARIABLES; ++k) out[ia + k] += r[k];
    for (int k = 0; k < VARIABLES; ++k) out[ib + k] -= r[k];
  }
}

// The same references as the kernels above, one addition for each.
extern "C" __attribute__((noinline)) void light_moves(long edges, const int *RESTRICT ends, const double *RESTRICT normal,
                                                      const double *RESTRICT lengths, const double *RESTRICT q, double *RESTRICT out) {
  for (long i = 0; i < edges; ++i) {
    const long ia = VARIABLES * long(ends[2 * i]), ib = VARIABLES * long(ends[2 * i + 1]);
    const double w = normal[3 * i] + normal[3 * i + 1] + normal[3 * i + 2] + lengths[i];
    for (int k = 0; k < VARIABLES; ++k) out[ia + k] += q[ib + k] + w;
    for (int k = 0; k < VARIABLES; ++k) out[ib + k] += q[ia + k] + w;
  }
}

extern "C" __attribute__((noinline)) void heavy_moves(long edges, const int *RESTRICT ends, const double *RESTRICT normal,
                                                      const double *RESTRICT lengths, const double *RESTRICT q, const double *RESTRICT g,
                                                      double *RESTRICT out) {
  for (long i = 0; i < edges; ++i) {
    const long ia = VARIABLES * long(ends[2 * i]), ib = VARIABLES * long(ends[2 * i + 1]);
    const double *ga = g + GRADIENTS * long(ends[2 * i]), *gb = g + GRADIENTS * long(ends[2 * i + 1]);
    double w = normal[3 * i] + normal[3 * i + 1] + normal[3 * i + 2];
    for (int k = 0; k < GRADIENTS; ++k) w += ga[k] + gb[k];
    for (int k = 0; k < VARIABLES; ++k) out[ia + k] += q[ib + k] + w;
    for (int k = 0; k < VARIABLES; ++k) out[ib + k] += q[ia + k] + w;
  }
}

#ifndef ONLY_FUNCTIONS
struct Mesh {
  std::vector<int> ends;
  std::vector<double> normal, lengths, q, g, out;
};

static Mesh box(int n) {
  Mesh mesh;
  const long nodes = long(n) * n * n;
  const auto at = [n](int i, int j, int k) { return (i * n + j) * n + k; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int axis = 0; axis < 3; ++axis) {
          const int next[3] = {i + (axis == 0), j + (axis == 1), k + (axis == 2)};
          if (next[axis] == n) continue;
          mesh.ends.push_back(at(i, j, k)), mesh.ends.push_back(at(next[0], next[1], next[2]));
          for (int d = 0; d < 3; ++d) mesh.normal.push_back(0.1 * (1 + (i + 2 * j + 3 * k + d + axis) % 9));
          mesh.lengths.push_back(0.5 + 0.01 * (k % 9));
        }
  mesh.q.resize(VARIABLES * nodes), mesh.out.assign(VARIABLES * nodes, 0.0), mesh.g.assign(GRADIENTS * nodes, 0.01);
  for (long v = 0; v < nodes; ++v) {
    mesh.q[5 * v] = 1.0 + 0.1 * (v % 10), mesh.q[5 * v + 4] = 2.5 + 0.01 * (v % 7);
    for (int k = 1; k < 4; ++k) mesh.q[5 * v + k] = 0.01 * (1 + (v + k) % 9);
  }
  return mesh;
}

static double ticks_per_cycle() {
  unsigned long long best = ~0ull;
  unsigned long value = 3;
  for (int r = 0; r < 400; ++r) {
    const unsigned long long start = __rdtsc();
    for (int i = 0; i < 250; ++i)
      __asm__ volatile("imulq %0,%0\n\timulq %0,%0\n\timulq %0,%0\n\timulq %0,%0" : "+r"(value));
    const unsigned long long taken = __rdtsc() - start;
    if (taken < best) best = taken;
  }
  return double(best) / 3000.0;
}

static void sweep(const char *kernel, Mesh &m) {
  const long edges = long(m.lengths.size());
  if (!strcmp(kernel, "mini")) mini(edges, m.ends.data(), m.normal.data(), m.lengths.data(), m.q.data(), m.out.data(), m.out.data());
  else if (!strcmp(kernel, "light")) light(edges, m.ends.data(), m.normal.data(), m.lengths.data(), m.q.data(), m.out.data());
  else if (!strcmp(kernel, "heavy")) heavy(edges, m.ends.data(), m.normal.data(), m.lengths.data(), m.q.data(), m.g.data(), m.out.data());
  else if (!strcmp(kernel, "light_moves")) light_moves(edges, m.ends.data(), m.normal.data(), m.lengths.data(), m.q.data(), m.out.data());
  else heavy_moves(edges, m.ends.data(), m.normal.data(), m.lengths.data(), m.q.data(), m.g.data(), m.out.data());
}

int main(int argc, char **argv) {  // node SIDE SWEEPS [KERNEL THREADS]
  const int side = argc > 1 ? atoi(argv[1]) : 40, repetitions = argc > 2 ? atoi(argv[2]) : 25;
  const std::vector<const char *> kernels = argc > 4 ? std::vector<const char *>{argv[3]} : std::vector<const char *>{"mini", "light", "heavy", "light_moves", "heavy_moves"};
  const std::vector<int> counts = argc > 4 ? std::vector<int>{atoi(argv[4])} : std::vector<int>{1, 2};
  const int meshes = argc > 4 ? 8 : 4;
  std::vector<Mesh> all;
  for (int k = 0; k < meshes; ++k) all.push_back(box(side));
  const long edges = long(all[0].lengths.size());
  const auto began = std::chrono::steady_clock::now();
  const unsigned long long first = __rdtsc();
  const double tick = ticks_per_cycle();
  while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(50)) {}
  const double tsc = double(__rdtsc() - first) / std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  for (const char *kernel : kernels)
    for (int threads : counts) {
      double best = 1e30;
      for (int r = 0; r < repetitions; ++r) {
        std::atomic<int> ready{0};
        std::vector<double> taken(threads);
        const auto work = [&](int t) {
          ++ready;
          while (ready.load() < threads) {}
          const unsigned long long start = __rdtsc();
          for (int k = t; k < meshes; k += threads) sweep(kernel, all[k]);
          taken[t] = double(__rdtsc() - start);
        };
        std::vector<std::thread> others;
        for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
        work(0);
        for (auto &other : others) other.join();
        double longest = 0;
        for (double each : taken) longest = each > longest ? each : longest;
        if (longest < best) best = longest;
      }
      printf("%s,%d,%.2f,%.3f,%ld\n", kernel, threads, best / tick / (edges * (meshes / threads)), tsc / tick / 1e9, edges * (meshes / threads));
    }
}
#endif
