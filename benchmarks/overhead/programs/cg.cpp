// Conjugate gradients on a sparse matrix (CSR) of a five-point problem with random far couplings, behind accessors.
#include <cmath>
#include <random>
#include <vector>
#include "tiny.h"

class Vector {
public:
    TINY explicit Vector(int n) : values_(n, 0.0) {}
    TINY double& operator[](int i) { return values_[i]; }
    TINY double operator[](int i) const { return values_[i]; }
    TINY int size() const { return int(values_.size()); }

private:
    std::vector<double> values_;
};

class Matrix {
public:
    explicit Matrix(int n);
    TINY int rows() const { return int(start_.size()) - 1; }
    TINY int begin(int row) const { return start_[row]; }
    TINY int end(int row) const { return start_[row + 1]; }
    TINY int column(int entry) const { return column_[entry]; }
    TINY double value(int entry) const { return value_[entry]; }

private:
    TINY void add(int column, double value) {
        column_.push_back(column);
        value_.push_back(value);
    }
    std::vector<int> start_{0}, column_;
    std::vector<double> value_;
};

Matrix::Matrix(int n) {
    std::mt19937 random(1);
    for (int row = 0; row < n * n; ++row) {
        add(row, 4.5);
        if (row >= n) add(row - n, -1.0);
        if (row + n < n * n) add(row + n, -1.0);
        if (row % n) add(row - 1, -1.0);
        if ((row + 1) % n) add(row + 1, -1.0);
        add(int(random() % unsigned(n * n)), 0.01);
        start_.push_back(int(column_.size()));
    }
}

void multiply(const Matrix& a, const Vector& x, Vector& y) {
    for (int row = 0; row < a.rows(); ++row) {
        double sum = 0.0;
        for (int entry = a.begin(row); entry < a.end(row); ++entry) sum += a.value(entry) * x[a.column(entry)];
        y[row] = sum;
    }
}

double dot(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (int i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void add_scaled(Vector& y, double factor, const Vector& x) {
    for (int i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

void precondition(const Matrix& a, const Vector& r, Vector& z) {
    for (int i = 0; i < r.size(); ++i) z[i] = r[i] / a.value(a.begin(i));
}

double solve(const Matrix& a, const Vector& b, Vector& x, int iterations) {
    Vector r = b, z(b.size()), p(b.size()), q(b.size());
    double rho = 1.0;
    for (int i = 0; i < iterations; ++i) {
        precondition(a, r, z);
        const double before = rho;
        rho = dot(r, z);
        for (int k = 0; k < p.size(); ++k) p[k] = z[k] + (i ? rho / before : 0.0) * p[k];
        multiply(a, p, q);
        const double alpha = rho / dot(p, q);
        add_scaled(x, alpha, p);
        add_scaled(r, -alpha, q);
    }
    return std::sqrt(dot(r, r));
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    Matrix a(n);
    Vector b(n * n), x(n * n);
    for (int i = 0; i < b.size(); ++i) b[i] = 1.0 + i % 7;
    std::printf("%.12g\n", solve(a, b, x, 20));
}
