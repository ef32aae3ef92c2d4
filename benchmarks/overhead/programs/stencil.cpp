// Heat conduction with variable conductivity: a seven-point stencil through operator().
#include <cmath>
#include <utility>
#include <vector>
#include "tiny.h"

class Grid {
public:
    TINY Grid(int n, double value) : n_(n), values_(std::size_t(n) * n * n, value) {}
    TINY double& operator()(int i, int j, int k) { return values_[index(i, j, k)]; }
    TINY double operator()(int i, int j, int k) const { return values_[index(i, j, k)]; }
    TINY int size() const { return n_; }

private:
    TINY std::size_t index(int i, int j, int k) const { return (std::size_t(i) * n_ + j) * n_ + k; }
    int n_;
    std::vector<double> values_;
};

TINY inline double harmonic(double a, double b) { return 2.0 * a * b / (a + b); }

void set_conductivity(Grid& c) {
    for (int i = 0; i < c.size(); ++i)
        for (int j = 0; j < c.size(); ++j)
            for (int k = 0; k < c.size(); ++k) c(i, j, k) = 1.0 + 0.5 * std::sin(0.3 * i) * std::cos(0.2 * j + 0.1 * k);
}

void set_boundary(Grid& t) {
    const int last = t.size() - 1;
    for (int i = 0; i <= last; ++i)
        for (int j = 0; j <= last; ++j) {
            t(0, i, j) = 1.0;
            t(last, i, j) = 0.0;
            t(i, 0, j) = t(i, 1, j);
            t(i, last, j) = t(i, last - 1, j);
        }
}

void step(const Grid& old, const Grid& c, Grid& t) {
    for (int i = 1; i < t.size() - 1; ++i)
        for (int j = 1; j < t.size() - 1; ++j)
            for (int k = 1; k < t.size() - 1; ++k) {
                const double here = old(i, j, k), own = c(i, j, k);
                double flow = harmonic(own, c(i - 1, j, k)) * (old(i - 1, j, k) - here);
                flow += harmonic(own, c(i + 1, j, k)) * (old(i + 1, j, k) - here);
                flow += c(i, j - 1, k) * (old(i, j - 1, k) - here) + c(i, j + 1, k) * (old(i, j + 1, k) - here);
                flow += c(i, j, k - 1) * (old(i, j, k - 1) - here) + c(i, j, k + 1) * (old(i, j, k + 1) - here);
                t(i, j, k) = here + 0.1 * flow;
            }
}

double residual(const Grid& a, const Grid& b) {
    double sum = 0.0;
    for (int i = 0; i < a.size(); ++i)
        for (int j = 0; j < a.size(); ++j)
            for (int k = 0; k < a.size(); ++k) {
                const double difference = a(i, j, k) - b(i, j, k);
                sum += difference * difference;
            }
    return std::sqrt(sum);
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    Grid conductivity(n, 0.0), old(n, 0.0), now(n, 0.0);
    set_conductivity(conductivity);
    double change = 1.0;
    for (int i = 0; i < 24; ++i) {
        set_boundary(old);
        step(old, conductivity, now);
        if (i % 4 == 3) change = residual(old, now);
        std::swap(old, now);
    }
    std::printf("%.12g\n", change);
}
