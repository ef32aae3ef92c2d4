// Products of complex 3 x 3 matrices on the sites of a lattice of L^4 sites, as MILC's gauge force has them, and messages of
// the size of its halo between two processes: quantiles of many sweeps. Prints kind, L, quantile in percent, size (sites or
// bytes) and microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

struct Su3 { float re[9], im[9]; };

static void multiply(const Su3 *__restrict a, const Su3 *__restrict b, Su3 *__restrict c, long sites) {
  for (long v = 0; v < sites; ++v)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        float re = 0, im = 0;
        for (int k = 0; k < 3; ++k) {
          const float ar = a[v].re[3 * i + k], ai = a[v].im[3 * i + k], br = b[v].re[3 * k + j], bi = b[v].im[3 * k + j];
          re += ar * br - ai * bi, im += ar * bi + ai * br;
        }
        c[v].re[3 * i + j] = re, c[v].im[3 * i + j] = im;
      }
}

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point start) { return 1e6 * std::chrono::duration<double>(Clock::now() - start).count(); }

static void report(const char *kind, int side, long size, std::vector<double> took) {
  std::sort(took.begin(), took.end());
  for (int q = 1; q <= 19; ++q) printf("%s,%d,%d,%ld,%.4g\n", kind, side, 5 * q, size, took[took.size() * q / 20]);
}

static void transfer(int to, int from, char *data, long bytes, bool first) {
  for (int turn = 0; turn < 2; ++turn)
    if ((turn == 0) == first)
      for (long sent = 0; sent < bytes;) sent += std::max(0L, long(write(to, data + sent, bytes - sent)));
    else
      for (long got = 0; got < bytes;) got += std::max(0L, long(read(from, data + got, bytes - got)));
}

int main() {
  for (int side = 4; side <= 14; ++side) {
    const long sites = long(side) * side * side * side;
    std::vector<Su3> a(sites, Su3{{1}, {1}}), b(sites, Su3{{1}, {1}}), c(sites);
    std::vector<double> took;
    const auto began = Clock::now();
    while (took.size() < 2000 && since(began) < 1.5e6) {
      const auto start = Clock::now();
      multiply(a.data(), b.data(), c.data(), sites);
      took.push_back(since(start));
    }
    report("sites", side, sites, took);
  }
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  const bool child = fork() == 0;
  const int mine = pair[child ? 1 : 0];
  for (int side = 4; side <= 14; ++side) {
    const long bytes = 18L * 4 * side * side * side;
    std::vector<char> data(bytes, 1);
    std::vector<double> took;
    for (int r = 0; r < 1000; ++r) {
      const auto start = Clock::now();
      transfer(mine, mine, data.data(), bytes, !child);
      took.push_back(since(start) / 2);
    }
    if (!child) report("message", side, bytes, took);
  }
  if (child) _exit(0);
}
