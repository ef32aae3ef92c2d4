// Ten loops of scientific codes, compiled to the assembly beside this file by compile.sh.
#include <cmath>
#include <cstdint>
#define LOOP extern "C" void

extern "C" double dot(long n, const double *__restrict x, const double *__restrict y) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
LOOP daxpy(long n, double a, const double *__restrict x, double *__restrict y) {
  for (long i = 0; i < n; ++i) y[i] += a * x[i];
}
LOOP stencil(long n, const double *__restrict u, double *__restrict v) {
  for (long i = 1; i < n - 1; ++i) v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
}
LOOP gather(long n, const double *__restrict x, const int *__restrict index, double *__restrict y) {
  for (long i = 0; i < n; ++i) y[i] = 2.0 * x[index[i]];
}
LOOP division(long n, const double *__restrict x, const double *__restrict y, double *__restrict z) {
  for (long i = 0; i < n; ++i) z[i] = x[i] / y[i];
}
LOOP square_root(long n, const double *__restrict x, double *__restrict y) {
  for (long i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}
LOOP flux(long n, const int *__restrict ends, const double *__restrict normal, const double *__restrict q,
          double *__restrict residual) {
  for (long i = 0; i < n; ++i) {
    const double *a = q + 5 * ends[2 * i], *b = q + 5 * ends[2 * i + 1];
    const double *s = normal + 3 * i;
    double ua = a[1] / a[0], va = a[2] / a[0], wa = a[3] / a[0];
    double ub = b[1] / b[0], vb = b[2] / b[0], wb = b[3] / b[0];
    double pa = 0.4 * (a[4] - 0.5 * a[0] * (ua * ua + va * va + wa * wa));
    double pb = 0.4 * (b[4] - 0.5 * b[0] * (ub * ub + vb * vb + wb * wb));
    double na = ua * s[0] + va * s[1] + wa * s[2], nb = ub * s[0] + vb * s[1] + wb * s[2];
    double c = std::sqrt(1.4 * pa / a[0]) + std::sqrt(1.4 * pb / b[0]);
    residual[5 * i + 0] = a[0] * na + b[0] * nb - c * (b[0] - a[0]);
    residual[5 * i + 1] = a[1] * na + b[1] * nb + (pa + pb) * s[0] - c * (b[1] - a[1]);
    residual[5 * i + 2] = a[2] * na + b[2] * nb + (pa + pb) * s[1] - c * (b[2] - a[2]);
    residual[5 * i + 3] = a[3] * na + b[3] * nb + (pa + pb) * s[2] - c * (b[3] - a[3]);
    residual[5 * i + 4] = (a[4] + pa) * na + (b[4] + pb) * nb - c * (b[4] - a[4]);
  }
}
extern "C" uint64_t integer(long n, const uint64_t *__restrict x) {
  uint64_t hash = 1469598103934665603u;
  for (long i = 0; i < n; ++i) {
    uint64_t word = x[i] ^ (x[i] >> 29);
    hash += (word * 0x9e3779b97f4a7c15u) ^ (word << 7) ^ (i & word);
  }
  return hash;
}
LOOP shuffle(long n, const double *__restrict x, double *__restrict y) {
  for (long i = 0; i < n; ++i) {  // complex multiplication by i, and the halves of a block exchanged
    y[4 * i + 0] = -x[4 * i + 3];
    y[4 * i + 1] = x[4 * i + 2];
    y[4 * i + 2] = -x[4 * i + 1];
    y[4 * i + 3] = x[4 * i + 0];
  }
}
LOOP polynomial(long n, const double *__restrict x, double *__restrict y) {
  for (long i = 0; i < n; ++i) {
    double t = x[i], p = 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 0.5;
    p = p * t + 1.0;
    y[i] = p * t + 1.0;
  }
}
