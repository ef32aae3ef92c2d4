// Kernels whose operations are known and whose references to memory callgrind counts: geometric series in three
// implementations, stencils, a multigrid F-cycle, and the correlation of image patches. `measured` is what is counted:
// callgrind --toggle-collect=measured. Without valgrind the best time of many repetitions is printed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

template <class Real, int N> static inline Real power_sum(Real m) {
  if constexpr (N == 0) return Real(1);
  else return Real(1) + m * power_sum<Real, N - 1>(m);
}

template <class Real, int N> static void in_line(long count, const Real *__restrict m, Real *__restrict out) {
  for (long i = 0; i < count; ++i) out[i] = power_sum<Real, N>(m[i]);
}

template <class Real> static void recursive(long count, int order, const Real *__restrict m, Real *__restrict out) {
  for (long i = 0; i < count; ++i) out[i] = Real(1);
  for (long i = 0; i < count; ++i)
    for (int k = 0; k < order; ++k) out[i] = out[i] * m[i] + Real(1);
}

template <class Real> static void flat(long count, int order, const Real *__restrict m, Real *__restrict out) {
  for (long i = 0; i < count; ++i) out[i] = Real(1);
  for (long i = 0; i < count; ++i)
    for (int k = 1; k <= order; ++k) {
      Real power = Real(1);
      for (int j = 0; j < k; ++j) power *= m[i];
      out[i] = out[i] + power;
    }
}

template <class Real> static void plane(long n, const Real *__restrict m, Real *__restrict out) {
  const long w = n + 2;
  for (long i = 1; i <= n; ++i)
    for (long j = 1; j <= n; ++j)
      out[i * w + j] = Real(0.25) * (m[(i + 1) * w + j] + m[(i - 1) * w + j] + m[i * w + j + 1] + m[i * w + j - 1]);
}

template <class Real> static void cube(long n, const Real *__restrict m, Real *__restrict out) {
  const long w = n + 2, ww = w * w;
  for (long i = 1; i <= n; ++i)
    for (long j = 1; j <= n; ++j)
      for (long k = 1; k <= n; ++k) {
        const long at = i * ww + j * w + k;
        out[at] = Real(1.0 / 6) * (m[at + ww] + m[at - ww] + m[at + w] + m[at - w] + m[at + 1] + m[at - 1]);
      }
}

using Field = std::vector<double>;

static void smooth(long n, const Field &f, const Field &u, Field &out) {  // 10 flop a point
  const long w = n + 2, ww = w * w;
  for (long i = 1; i <= n; ++i)
    for (long j = 1; j <= n; ++j)
      for (long k = 1; k <= n; ++k) {
        const long at = i * ww + j * w + k;
        const double around = u[at + ww] + u[at - ww] + u[at + w] + u[at - w] + u[at + 1] + u[at - 1];
        out[at] = u[at] + 0.8 * ((around + f[at]) * (1.0 / 6) - u[at]);
      }
}

struct Level { long n; Field u, v, f; };
static double operations = 0;

static void relax(Level &l, int sweeps) {
  for (int s = 0; s < sweeps; ++s) smooth(l.n, l.f, l.u, l.v), std::swap(l.u, l.v), operations += 10.0 * l.n * l.n * l.n;
}

static void down(Level &fine, Level &coarse) {  // residual, and its mean over eight points: 17 flop a fine point
  const long w = fine.n + 2, ww = w * w, c = coarse.n + 2;
  std::fill(coarse.f.begin(), coarse.f.end(), 0.0), std::fill(coarse.u.begin(), coarse.u.end(), 0.0);
  for (long i = 1; i <= fine.n; ++i)
    for (long j = 1; j <= fine.n; ++j)
      for (long k = 1; k <= fine.n; ++k) {
        const long at = i * ww + j * w + k;
        const double around = fine.u[at + ww] + fine.u[at - ww] + fine.u[at + w] + fine.u[at - w] + fine.u[at + 1] + fine.u[at - 1];
        coarse.f[((i + 1) / 2) * c * c + ((j + 1) / 2) * c + (k + 1) / 2] += 0.5 * (fine.f[at] + around - 6 * fine.u[at]);
      }
  operations += 10.0 * fine.n * fine.n * fine.n;
}

static void up(Level &coarse, Level &fine) {
  const long w = fine.n + 2, ww = w * w, c = coarse.n + 2;
  for (long i = 1; i <= fine.n; ++i)
    for (long j = 1; j <= fine.n; ++j)
      for (long k = 1; k <= fine.n; ++k)
        fine.u[i * ww + j * w + k] += coarse.u[((i + 1) / 2) * c * c + ((j + 1) / 2) * c + (k + 1) / 2];
  operations += 1.0 * fine.n * fine.n * fine.n;
}

static void v_cycle(std::vector<Level> &levels, size_t from) {
  for (size_t l = from; l + 1 < levels.size(); ++l) relax(levels[l], 2), down(levels[l], levels[l + 1]);
  relax(levels.back(), 10);
  for (size_t l = levels.size() - 1; l > from; --l) up(levels[l], levels[l - 1]), relax(levels[l - 1], 2);
}

static void f_cycle(std::vector<Level> &levels) {
  for (size_t l = 0; l + 1 < levels.size(); ++l) down(levels[l], levels[l + 1]);
  for (size_t l = levels.size(); l-- > 0;) {
    if (l + 1 < levels.size()) up(levels[l + 1], levels[l]);
    v_cycle(levels, l);
  }
}

// Normalised cross-correlation of patches of 15 x 15 pixels at 9 offsets: 6 flop a pixel and offset.
static void correlate(long n, const float *__restrict a, const float *__restrict b, float *__restrict best) {
  const int size = 15;
  for (long i = 0; i + size <= n; i += 4)
    for (long j = 0; j + size + 8 <= n; j += 4) {
      float top = -2;
      for (int shift = 0; shift < 9; ++shift) {
        float ab = 0, aa = 0, bb = 0;
        for (int y = 0; y < size; ++y)
          for (int x = 0; x < size; ++x) {
            const float p = a[(i + y) * n + j + x], q = b[(i + y) * n + j + x + shift];
            ab += p * q, aa += p * p, bb += q * q;
          }
        top = std::max(top, ab / std::sqrt(aa * bb));
        operations += 6.0 * size * size + 3;
      }
      best[(i / 4) * n + j / 4] = top;
    }
}

// a = b + 0.5 c of arrays that take `bytes` together: 2 flop and 24 B an element.
static void triad(long count, double *__restrict a, const double *__restrict b, const double *__restrict c) {
  for (long i = 0; i < count; ++i) a[i] = b[i] + 0.5 * c[i];
}

// The 27-point operator of HPCG as a sparse matrix: product, symmetric Gauss-Seidel, sum of products, sum of vectors.
struct Matrix {
  std::vector<double> values, diagonal;
  std::vector<int> columns, starts{0};
};

static Matrix operator_27(long n) {
  Matrix m;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      for (long k = 0; k < n; ++k) {
        for (long a = std::max(0L, i - 1); a <= std::min(n - 1, i + 1); ++a)
          for (long b = std::max(0L, j - 1); b <= std::min(n - 1, j + 1); ++b)
            for (long c = std::max(0L, k - 1); c <= std::min(n - 1, k + 1); ++c)
              m.columns.push_back(int((a * n + b) * n + c)), m.values.push_back(a == i && b == j && c == k ? 26.0 : -1.0);
        m.starts.push_back(int(m.columns.size())), m.diagonal.push_back(26.0);
      }
  return m;
}

static double row_sum(const Matrix &m, long row, const double *x) {
  double sum = 0;
  for (int at = m.starts[row]; at < m.starts[row + 1]; ++at) sum += m.values[at] * x[m.columns[at]];
  return sum;
}

static void spmv(const Matrix &m, const double *x, double *y) {
  for (size_t row = 0; row < m.diagonal.size(); ++row) y[row] = row_sum(m, row, x);
}

static void symgs(const Matrix &m, const double *r, double *x) {
  const long rows = long(m.diagonal.size());
  for (long row = 0; row < rows; ++row) x[row] += (r[row] - row_sum(m, row, x)) / m.diagonal[row];
  for (long row = rows - 1; row >= 0; --row) x[row] += (r[row] - row_sum(m, row, x)) / m.diagonal[row];
}

extern "C" __attribute__((noinline)) void measured(const std::function<void()> &work) { work(); }

template <class Real> static void series(const std::string &how, int order, long m, std::function<void()> &work) {
  const long count = m * m;
  static std::vector<Real> in, out;
  in.assign(count, Real(0.5)), out.assign(count, Real(0));
  operations = (2.0 * order - 1) * count;
  if (how == "recursive") work = [=] { recursive<Real>(count, order, in.data(), out.data()); };
  else if (how == "flat") work = [=] { flat<Real>(count, order, in.data(), out.data()); };
  else
    work = [=] {
      const Real *a = in.data();
      Real *b = out.data();
      switch (order) {
        case 1: in_line<Real, 1>(count, a, b); break;
        case 5: in_line<Real, 5>(count, a, b); break;
        case 10: in_line<Real, 10>(count, a, b); break;
        default: in_line<Real, 29>(count, a, b);
      }
    };
}

template <class Real> static void stencil(bool flat_one, long n, std::function<void()> &work) {
  static std::vector<Real> in, out;
  const long all = flat_one ? (n + 2) * (n + 2) : (n + 2) * (n + 2) * (n + 2);
  in.assign(all, Real(1)), out.assign(all, Real(0));
  operations = flat_one ? 4.0 * n * n : 6.0 * n * n * n;
  if (flat_one) work = [=] { plane<Real>(n, in.data(), out.data()); };
  else work = [=] { cube<Real>(n, in.data(), out.data()); };
}

int main(int argc, char **argv) {  // kernels KERNEL sp|dp SIZE ORDER count|time
  const std::string kernel = argv[1], real = argv[2], mode = argv[5];
  const long size = atol(argv[3]);
  const int order = atoi(argv[4]);
  std::function<void()> work;
  static std::vector<Level> levels;
  static std::vector<float> left, right, best;
  bool counts_itself = false;
  if (kernel == "plane" || kernel == "cube") {
    if (real == "sp") stencil<float>(kernel == "plane", size, work);
    else stencil<double>(kernel == "plane", size, work);
  } else if (kernel == "multigrid") {
    for (long n = size; n >= 4; n /= 2) levels.push_back({n, Field((n + 2) * (n + 2) * (n + 2)), Field((n + 2) * (n + 2) * (n + 2)), Field((n + 2) * (n + 2) * (n + 2), 1.0)});
    work = [] { f_cycle(levels); }, counts_itself = true;
  } else if (kernel == "correlate") {
    left.resize(size * size), right.resize(size * size), best.resize(size * size);
    for (size_t i = 0; i < left.size(); ++i) left[i] = 1 + float(i * 2654435761u % 97) / 97, right[i] = 1 + float(i * 40503u % 89) / 89;
    work = [=] { correlate(size, left.data(), right.data(), best.data()); }, counts_itself = true;
  } else if (kernel == "spmv" || kernel == "symgs" || kernel == "dot" || kernel == "waxpby") {
    static Matrix m;
    static std::vector<double> x, y;
    static volatile double sum;
    m = operator_27(size), x.assign(m.diagonal.size(), 1.0), y.assign(x.size(), 1.0);
    const double entries = double(m.values.size()), rows = double(x.size());
    operations = kernel == "spmv" ? 2 * entries : kernel == "symgs" ? 4 * entries + 6 * rows : kernel == "dot" ? 2 * rows : 3 * rows;
    if (kernel == "spmv") work = [] { spmv(m, x.data(), y.data()); };
    else if (kernel == "symgs") work = [] { symgs(m, y.data(), x.data()); };
    else if (kernel == "dot") work = [] { double s = 0; for (size_t i = 0; i < x.size(); ++i) s += x[i] * y[i]; sum = s; };
    else work = [] { for (size_t i = 0; i < x.size(); ++i) y[i] = 0.5 * x[i] + 0.25 * y[i]; };
  } else if (kernel == "triad") {  // SIZE in KiB, swept often enough for the clock
    static std::vector<double> abc;
    const long count = size * 1024 / 24, times = std::max(1L, (1L << 21) / count);
    abc.assign(3 * count, 1.0), operations = 2.0 * count * times;
    double *a = abc.data();
    work = [=] { for (long t = 0; t < times; ++t) { triad(count, a, a + count, a + 2 * count); __asm__ volatile("" ::"r"(a) : "memory"); } };
  } else if (kernel == "peak") {  // the longest series of numbers in the first-level cache
    static std::vector<double> in(256, 0.5), out(256);
    operations = 58.0 * 256 * 2000;
    work = [] { for (int t = 0; t < 2000; ++t) { in_line<double, 29>(256, in.data(), out.data()); __asm__ volatile("" ::"r"(out.data()) : "memory"); } };
  } else if (real == "sp") series<float>(kernel, order, size, work);
  else series<double>(kernel, order, size, work);
  double least = 1e30;
  work();
  const int repetitions = mode == "count" ? 1 : 400;
  const auto began = std::chrono::steady_clock::now();
  for (int r = 0; r < repetitions; ++r) {
    if (counts_itself) operations = 0;
    const auto start = std::chrono::steady_clock::now();
    measured(work);
    const auto now = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double>(now - start).count());
    if (std::chrono::duration<double>(now - began).count() > 3) break;
  }
  printf("%.0f %.9f\n", operations, least);
}
