// LU decomposition of a block band matrix, blocks of 8 x 8 of coupled unknowns: templates on the order of blocks.
#include <algorithm>
#include <cmath>
#include <vector>
#include "tiny.h"

template <int B>
struct alignas(16) Block {
    double a[B][B];
};

template <int B>
void factor(Block<B>& d) {
    for (int k = 0; k < B; ++k)
        for (int i = k + 1; i < B; ++i) {
            d.a[i][k] /= d.a[k][k];
            for (int j = k + 1; j < B; ++j) d.a[i][j] -= d.a[i][k] * d.a[k][j];
        }
}

// X from L X = X, where L is below the diagonal of d.
template <int B>
void solve_lower(const Block<B>& d, Block<B>& x) {
    for (int i = 1; i < B; ++i)
        for (int k = 0; k < i; ++k)
            for (int j = 0; j < B; ++j) x.a[i][j] -= d.a[i][k] * x.a[k][j];
}

// X from X U = X, where U is the upper triangle of d.
template <int B>
void solve_upper(const Block<B>& d, Block<B>& x) {
    for (int i = 0; i < B; ++i)
        for (int k = 0; k < B; ++k) {
            x.a[i][k] /= d.a[k][k];
            for (int j = k + 1; j < B; ++j) x.a[i][j] -= x.a[i][k] * d.a[k][j];
        }
}

template <int B>
void subtract_product(Block<B>& c, const Block<B>& a, const Block<B>& b) {
    for (int i = 0; i < B; ++i)
        for (int k = 0; k < B; ++k)
            for (int j = 0; j < B; ++j) c.a[i][j] -= a.a[i][k] * b.a[k][j];
}

template <int B>
void fill(Block<B>& block, int row, int column) {
    for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) block.a[i][j] = 0.01 * ((7 * row + 3 * column + i * j) % 13);
    if (row == column)
        for (int i = 0; i < B; ++i) block.a[i][i] += 20.0;
}

template <int B>
double eliminate(std::vector<Block<B>>& band, int rows, int half) {
    double logarithm = 0.0;
    for (int k = 0; k < rows; ++k) {
        const int reach = std::min(rows - 1 - k, half);
        Block<B>* row = &band[std::size_t(k) * (2 * half + 1) + half];  // its diagonal
        factor(row[0]);
        for (int j = 1; j <= reach; ++j) solve_lower(row[0], row[j]);
        for (int i = 1; i <= reach; ++i) {
            Block<B>* below = row + i * 2 * half;  // the same column, i rows down
            solve_upper(row[0], below[0]);
            for (int j = 1; j <= reach; ++j) subtract_product(below[j], below[0], row[j]);
        }
        for (int i = 0; i < B; ++i) logarithm += std::log(row[0].a[i][i]);
    }
    return logarithm;
}

int main(int argc, char** argv) {
    const int rows = 10 * size_argument(argc, argv), half = 10;
    std::vector<Block<8>> band(std::size_t(rows) * (2 * half + 1));
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k <= 2 * half; ++k) fill(band[std::size_t(i) * (2 * half + 1) + k], i, i + k - half);
    std::printf("%.12g\n", eliminate(band, rows, half));
}
