// Edge fluxes of a finite-volume Euler solver on an unstructured grid, after the equations that MG-CFD computes
// (Owenson et al. 2019), written anew. Macros choose the variants: EDGE_WEIGHTS reads the lengths of the edges,
// REUSE_DIV computes one reciprocal for several divisions, REUSE_FLUX negates the flux for the second point,
// STRIPPED leaves out about half of the arithmetic. FISSION stores per edge, which can be vectorised.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <x86intrin.h>

constexpr int NODES = 64, EDGES = 256, VARIABLES = 5;
#define RESTRICT __restrict

struct State { double u, v, w, speed, pressure, sound; };

static inline State state(const double *RESTRICT q) {
  State s;
#ifdef REUSE_DIV
  const double inverse = 1.0 / q[0];
  s.u = q[1] * inverse, s.v = q[2] * inverse, s.w = q[3] * inverse;
#elif defined STRIPPED
  s.u = q[1], s.v = q[2], s.w = q[3];
#else
  s.u = q[1] / q[0], s.v = q[2] / q[0], s.w = q[3] / q[0];
#endif
#ifdef STRIPPED
  s.speed = s.u + s.v * s.w;
  s.pressure = q[4] - q[0] * s.speed;
  s.sound = s.pressure * q[0];
#else
  const double squared = s.u * s.u + s.v * s.v + s.w * s.w;
  s.speed = std::sqrt(squared);
  s.pressure = 0.4 * (q[4] - 0.5 * q[0] * squared);
#ifdef REUSE_DIV
  s.sound = std::sqrt(1.4 * s.pressure * inverse);
#else
  s.sound = std::sqrt(1.4 * s.pressure / q[0]);
#endif
#endif
  return s;
}

extern "C" __attribute__((noinline)) void flux(long edges, const int *RESTRICT ends, const double *RESTRICT normal,
                                               const double *RESTRICT lengths, const double *RESTRICT q,
                                               double *RESTRICT out, double *RESTRICT out_b) {
#ifdef FISSION
#pragma omp simd simdlen(8)
#endif
  for (long i = 0; i < edges; ++i) {
    const long ia = VARIABLES * long(ends[2 * i]), ib = VARIABLES * long(ends[2 * i + 1]);
    const double *a = q + ia, *b = q + ib;
    const double x = normal[3 * i], y = normal[3 * i + 1], z = normal[3 * i + 2];
#ifdef EDGE_WEIGHTS
    const double length = lengths[i];
#elif defined STRIPPED
    const double length = x + y * z;
#else
    const double length = std::sqrt(x * x + y * y + z * z);
#endif
    const State A = state(a), B = state(b);
    const double factor = -0.1 * length * (A.speed + B.speed + A.sound + B.sound);
    const double fx = -0.5 * x, fy = -0.5 * y, fz = -0.5 * z;
    double r[VARIABLES], s[VARIABLES];
#ifdef STRIPPED
    for (int k = 0; k < VARIABLES; ++k) r[k] = factor * (a[k] - b[k]) + fx * (a[1] + b[1]) + fy * (a[2] + b[2]) + fz * (a[3] + b[3]);
#else
    const double ea = a[4] + A.pressure, eb = b[4] + B.pressure;
#define DENSITY fx * (a[1] + b[1]) + fy * (a[2] + b[2]) + fz * (a[3] + b[3])
#define ENERGY fx * (A.u * ea + B.u * eb) + fy * (A.v * ea + B.v * eb) + fz * (A.w * ea + B.w * eb)
#define MX fx * (A.u * a[1] + A.pressure + (B.u * b[1] + B.pressure)) + fy * (A.u * a[2] + B.u * b[2]) + fz * (A.u * a[3] + B.u * b[3])
#define MY fx * (A.u * a[2] + B.u * b[2]) + fy * (A.v * a[2] + A.pressure + (B.v * b[2] + B.pressure)) + fz * (A.v * a[3] + B.v * b[3])
#define MZ fx * (A.u * a[3] + B.u * b[3]) + fy * (A.v * a[3] + B.v * b[3]) + fz * (A.w * a[3] + A.pressure + (B.w * b[3] + B.pressure))
    r[0] = factor * (a[0] - b[0]) + (DENSITY);
    r[1] = factor * (a[1] - b[1]) + (MX);
    r[2] = factor * (a[2] - b[2]) + (MY);
    r[3] = factor * (a[3] - b[3]) + (MZ);
    r[4] = factor * (a[4] - b[4]) + (ENERGY);
#endif
#if defined REUSE_FLUX || defined STRIPPED
    for (int k = 0; k < VARIABLES; ++k) s[k] = -r[k];
#else
    s[0] = factor * (b[0] - a[0]) - (DENSITY);
    s[1] = factor * (b[1] - a[1]) - (MX);
    s[2] = factor * (b[2] - a[2]) - (MY);
    s[3] = factor * (b[3] - a[3]) - (MZ);
    s[4] = factor * (b[4] - a[4]) - (ENERGY);
#endif
#ifdef FISSION
    for (int k = 0; k < VARIABLES; ++k) out[k * EDGES + i] = r[k], out_b[k * EDGES + i] = s[k];
#else
    for (int k = 0; k < VARIABLES; ++k) out[ia + k] += r[k];
    for (int k = 0; k < VARIABLES; ++k) out[ib + k] += s[k];
#endif
  }
}

#ifndef ONLY_KERNEL
static double ticks_per_cycle() {  // multiplications that wait for each other take 3 cycles each
  unsigned long long best = ~0ull;
  unsigned long value = 3;
  for (int r = 0; r < 200; ++r) {
    const unsigned long long start = __rdtsc();
    for (int i = 0; i < 250; ++i)
      __asm__ volatile("imulq %0,%0\n\timulq %0,%0\n\timulq %0,%0\n\timulq %0,%0" : "+r"(value));
    const unsigned long long taken = __rdtsc() - start;
    if (taken < best) best = taken;
  }
  return double(best) / 3000.0;
}

int main() {
  static int ends[2 * EDGES];
  static double normal[3 * EDGES], lengths[EDGES], q[NODES * VARIABLES], out[EDGES * VARIABLES], out_b[EDGES * VARIABLES];
  srand(1);
  for (int i = 0; i < NODES; ++i) {
    q[5 * i] = 1.0 + 0.1 * (rand() % 10);
    for (int k = 1; k < 4; ++k) q[5 * i + k] = 0.01 * (1 + rand() % 9);
    q[5 * i + 4] = 2.5 + 0.01 * (rand() % 10);
  }
  for (int i = 0; i < EDGES; ++i) {
    ends[2 * i] = rand() % NODES;
    do ends[2 * i + 1] = rand() % NODES; while (ends[2 * i + 1] == ends[2 * i]);
    for (int k = 0; k < 3; ++k) normal[3 * i + k] = 0.1 * (1 + rand() % 9);
    lengths[i] = std::sqrt(normal[3 * i] * normal[3 * i] + normal[3 * i + 1] * normal[3 * i + 1] + normal[3 * i + 2] * normal[3 * i + 2]);
  }
  double best = 1e30;
  for (int block = 0; block < 30; ++block) {
    const double tick = ticks_per_cycle();
    for (int r = 0; r < 100; ++r) {
      const unsigned long long start = __rdtsc();
      flux(EDGES, ends, normal, lengths, q, out, out_b);
      const double cycles = double(__rdtsc() - start) / tick / EDGES;
      if (cycles < best) best = cycles;
    }
  }
  printf("%.3f %g\n", best, out[7]);
}
#endif
