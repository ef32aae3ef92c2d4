// Dense LU decomposition with partial pivoting through at(i, j).
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>
#include "tiny.h"

class Matrix {
public:
    TINY explicit Matrix(int n) : n_(n), values_(std::size_t(n) * n) {}
    TINY int order() const { return n_; }
    TINY double& at(int i, int j) { return values_[check(i) * n_ + check(j)]; }
    TINY double at(int i, int j) const { return values_[check(i) * n_ + check(j)]; }

private:
    TINY std::size_t check(int i) const {
        if (i < 0 || i >= n_) throw std::out_of_range("index");
        return std::size_t(i);
    }
    int n_;
    std::vector<double> values_;
};

void fill(Matrix& a) {
    std::mt19937 random(7);
    for (int i = 0; i < a.order(); ++i)
        for (int j = 0; j < a.order(); ++j) a.at(i, j) = double(random()) / 4294967296.0;
}

int find_pivot(const Matrix& a, int k) {
    int best = k;
    for (int i = k + 1; i < a.order(); ++i)
        if (std::fabs(a.at(i, k)) > std::fabs(a.at(best, k))) best = i;
    return best;
}

void swap_rows(Matrix& a, int i, int k) {
    for (int j = 0; j < a.order(); ++j) std::swap(a.at(i, j), a.at(k, j));
}

void eliminate(Matrix& a, int k) {
    for (int i = k + 1; i < a.order(); ++i) {
        a.at(i, k) /= a.at(k, k);
        const double factor = a.at(i, k);
        for (int j = k + 1; j < a.order(); ++j) a.at(i, j) -= factor * a.at(k, j);
    }
}

double log_determinant(const Matrix& a) {
    double sum = 0.0;
    for (int k = 0; k < a.order(); ++k) sum += std::log(std::fabs(a.at(k, k)));
    return sum;
}

int main(int argc, char** argv) {
    Matrix a(size_argument(argc, argv));
    fill(a);
    for (int k = 0; k < a.order(); ++k) {
        const int pivot = find_pivot(a, k);
        if (pivot != k) swap_rows(a, pivot, k);
        eliminate(a, k);
    }
    std::printf("%.12g\n", log_determinant(a));
}
