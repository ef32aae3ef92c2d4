// Shallow water on a periodic grid by two threads: each advances its part of the rows, a row per call.
#include <omp.h>

#include <cmath>
#include <utility>
#include <vector>
#include "tiny.h"

constexpr int N = 32;

struct Row {
    double h[N], u[N], v[N];  // height, momentum along and across
};

void advance_row(const Row& below, const Row& here, const Row& above, Row& out, double c) {
    for (int i = 0; i < N; ++i) {
        const int w = (i + N - 1) % N, e = (i + 1) % N;
        const double hw = here.h[w], he = here.h[e], hs = below.h[i], hn = above.h[i];
        const double uw = here.u[w], ue = here.u[e], us = below.u[i], un = above.u[i];
        const double vw = here.v[w], ve = here.v[e], vs = below.v[i], vn = above.v[i];
        const double along = ue * ue / he - uw * uw / hw + 0.5 * (he * he - hw * hw);
        const double across = vn * vn / hn - vs * vs / hs + 0.5 * (hn * hn - hs * hs);
        out.h[i] = 0.25 * (hw + he + hs + hn) - c * (ue - uw + vn - vs);
        out.u[i] = 0.25 * (uw + ue + us + un) - c * (along + un * vn / hn - us * vs / hs);
        out.v[i] = 0.25 * (vw + ve + vs + vn) - c * (across + ue * ve / he - uw * vw / hw);
    }
}

double speed_of_row(const Row& row) {
    double most = 0.0;
    for (int i = 0; i < N; ++i) most = std::fmax(most, std::fabs(row.u[i]) / row.h[i] + std::sqrt(row.h[i]));
    return most;
}

double advance_part(const std::vector<Row>& old, std::vector<Row>& now, int first, int last, double c) {
    const int n = int(old.size());
    double most = 0.0;
    for (int j = first; j < last; ++j) {
        advance_row(old[(j + n - 1) % n], old[j], old[(j + 1) % n], now[j], c);
        most = std::fmax(most, speed_of_row(now[j]));
    }
    return most;
}

std::vector<Row> make_rows(int n) {
    std::vector<Row> rows(n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < N; ++i) {
            rows[j].h[i] = 1.0 + 0.2 * std::sin(6.283185307 * i / N) * std::sin(6.283185307 * j / n);
            rows[j].u[i] = rows[j].v[i] = 0.0;
        }
    return rows;
}

int main(int argc, char** argv) {
    const int n = 100 * size_argument(argc, argv);
    std::vector<Row> old = make_rows(n), now(n);
    double c = 0.1;
    for (int step = 0; step < 40; ++step) {
        double most = 0.0;
#pragma omp parallel num_threads(2) reduction(max : most)
        {
            const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
            most = advance_part(old, now, n * thread / threads, n * (thread + 1) / threads, c);
        }
        c = 0.2 / most;
        std::swap(old, now);
    }
    std::printf("%.10g %.10g\n", c, old[0].h[5]);
}
