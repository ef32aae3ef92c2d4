// Finite elements: the stiffness matrices of distorted hexahedra, 8 x 8, summed into a sparse matrix of 27 entries a row.
#include <algorithm>
#include <cmath>
#include <vector>
#include "tiny.h"

struct Sparse {
    std::vector<int> start{0}, column;
    std::vector<double> value;
};

Sparse make_graph(int n) {
    Sparse a;
    for (int node = 0; node < n * n * n; ++node) {
        const int i = node % n, j = node / n % n, k = node / n / n;
        for (int c = 0; c < 27; ++c) {
            const int x = i + c % 3 - 1, y = j + c / 3 % 3 - 1, z = k + c / 9 - 1;
            if (std::min({x, y, z}) >= 0 && std::max({x, y, z}) < n) a.column.push_back((z * n + y) * n + x);
        }
        a.start.push_back(int(a.column.size()));
    }
    a.value.assign(a.column.size(), 0.0);
    return a;
}

void corners(int n, int e, int* node, double (*x)[3]) {
    const int m = n - 1, low = (e / m / m * n + e / m % m) * n + e % m;
    for (int c = 0; c < 8; ++c) {
        node[c] = low + (c & 1) + (c >> 1 & 1) * n + (c >> 2) * n * n;
        const double at[3] = {double(node[c] % n), double(node[c] / n % n), double(node[c] / n / n)};
        for (int d = 0; d < 3; ++d) x[c][d] = at[d] + 0.02 * at[(d + 1) % 3] * (node[c] % 5);
    }
}

// The gradients of the eight shape functions at a Gauss point; returns the determinant of the Jacobian.
double gradients(const double (*x)[3], int point, double (*g)[3]) {
    double local[8][3], j[3][3] = {}, inverse[3][3];
    for (int c = 0; c < 8; ++c) {
        double factor[3], sign[3];
        for (int d = 0; d < 3; ++d) {
            sign[d] = c >> d & 1 ? 0.5 : -0.5;
            factor[d] = 0.5 + sign[d] * (point >> d & 1 ? 0.57735026918962573 : -0.57735026918962573);
        }
        for (int d = 0; d < 3; ++d) local[c][d] = sign[d] * factor[(d + 1) % 3] * factor[(d + 2) % 3];
        for (int r = 0; r < 3; ++r)
            for (int d = 0; d < 3; ++d) j[r][d] += local[c][r] * x[c][d];
    }
    for (int r = 0; r < 3; ++r)
        for (int d = 0; d < 3; ++d) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
            inverse[d][r] = j[r1][d1] * j[r2][d2] - j[r1][d2] * j[r2][d1];
        }
    const double determinant = j[0][0] * inverse[0][0] + j[0][1] * inverse[1][0] + j[0][2] * inverse[2][0];
    for (int c = 0; c < 8; ++c)
        for (int d = 0; d < 3; ++d)
            g[c][d] = (inverse[d][0] * local[c][0] + inverse[d][1] * local[c][1] + inverse[d][2] * local[c][2]) / determinant;
    return determinant;
}

void accumulate(double (*k)[8], const double (*g)[3], double weight) {
    for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 8; ++b) k[a][b] += weight * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
}

void sum_into_row(Sparse& a, int row, const int* node, const double* values) {
    const auto first = a.column.begin() + a.start[row], last = a.column.begin() + a.start[row + 1];
    for (int b = 0; b < 8; ++b) a.value[std::size_t(std::lower_bound(first, last, node[b]) - a.column.begin())] += values[b];
}

void assemble(Sparse& a, int n) {
    for (int e = 0; e < (n - 1) * (n - 1) * (n - 1); ++e) {
        int node[8];
        double x[8][3], g[8][3], k[8][8] = {};
        corners(n, e, node, x);
        for (int point = 0; point < 8; ++point) {
            const double weight = gradients(x, point, g);
            accumulate(k, g, weight);
        }
        for (int row = 0; row < 8; ++row) sum_into_row(a, node[row], node, k[row]);
    }
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    Sparse a = make_graph(n);
    for (int step = 0; step < 5; ++step) assemble(a, n);
    double sum = 0.0;
    for (double v : a.value) sum += std::fabs(v);
    std::printf("%.12g\n", sum);
}
