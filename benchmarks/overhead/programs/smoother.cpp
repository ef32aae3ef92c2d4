// Multigrid for anisotropic diffusion: lines are relaxed as a whole, by a tridiagonal system each.
#include <cmath>
#include <vector>
#include "tiny.h"

constexpr int LENGTH = 31;
constexpr double STRONG = 1.0, WEAK = 0.01;

struct Level {
    Level(int lines, int length) : rows(lines), n(length), u((rows + 2) * (n + 2)), f(u.size()), r(u.size()) {}
    int rows, n;
    std::vector<double> u, f, r;
};

void relax_line(Level& level, int row) {
    const int n = level.n, stride = n + 2;
    double *u = &level.u[row * stride], *f = &level.f[row * stride], factor[LENGTH + 1], value[LENGTH + 1];
    const double diagonal = 2.0 * (STRONG + WEAK);
    factor[0] = value[0] = 0.0;
    for (int i = 1; i <= n; ++i) {
        const double pivot = 1.0 / (diagonal - STRONG * factor[i - 1]);
        factor[i] = STRONG * pivot;
        value[i] = (f[i] + WEAK * (u[i - stride] + u[i + stride]) + STRONG * value[i - 1]) * pivot;
    }
    for (int i = n; i >= 1; --i) u[i] = value[i] + factor[i] * u[i + 1];
}

void residual_line(Level& level, int row) {
    const int n = level.n, stride = n + 2;
    const double *u = &level.u[row * stride], *f = &level.f[row * stride];
    double* r = &level.r[row * stride];
    for (int i = 1; i <= n; ++i)
        r[i] = f[i] - 2.0 * (STRONG + WEAK) * u[i] + STRONG * (u[i - 1] + u[i + 1]) + WEAK * (u[i - stride] + u[i + stride]);
}

void restrict_line(const Level& fine, Level& coarse, int row) {
    const int stride = fine.n + 2;
    const double* r = &fine.r[2 * row * stride];
    for (int i = 1; i <= coarse.n; ++i) {
        const double* c = r + 2 * i;
        coarse.f[row * (coarse.n + 2) + i] = c[0] + 0.5 * (c[-1] + c[1] + c[-stride] + c[stride]) +
                                             0.25 * (c[-stride - 1] + c[-stride + 1] + c[stride - 1] + c[stride + 1]);
        coarse.u[row * (coarse.n + 2) + i] = 0.0;
    }
}

void prolong_line(const Level& coarse, Level& fine, int row) {
    const double *low = &coarse.u[row / 2 * (coarse.n + 2)], *high = row % 2 ? low + coarse.n + 2 : low;
    double* u = &fine.u[row * (fine.n + 2)];
    for (int i = 1; i <= fine.n; ++i) u[i] += 0.25 * (low[i / 2] + high[i / 2] + low[(i + 1) / 2] + high[(i + 1) / 2]);
}

void cycle(std::vector<Level>& levels, std::size_t at) {
    Level& level = levels[at];
    for (int colour = 1; colour <= 2; ++colour)
        for (int row = colour; row <= level.rows; row += 2) relax_line(level, row);
    if (at + 1 == levels.size()) return;
    for (int row = 1; row <= level.rows; ++row) residual_line(level, row);
    for (int row = 1; row <= levels[at + 1].rows; ++row) restrict_line(level, levels[at + 1], row);
    cycle(levels, at + 1);
    for (int row = 1; row <= level.rows; ++row) prolong_line(levels[at + 1], level, row);
    for (int row = level.rows; row >= 1; --row) relax_line(level, row);
}

int main(int argc, char** argv) {
    std::vector<Level> levels;
    for (int rows = 100 * size_argument(argc, argv), n = LENGTH; n >= 3; rows /= 2, n /= 2) levels.emplace_back(rows, n);
    Level& fine = levels[0];
    for (std::size_t i = 0; i < fine.f.size(); ++i) fine.f[i] = 1e-3 * double(i % 17);
    for (int i = 0; i < 40; ++i) cycle(levels, 0);
    double sum = 0.0;
    for (double u : fine.u) sum += u;
    std::printf("%.9g\n", sum);
}
