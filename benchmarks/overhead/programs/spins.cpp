// The Ising model by two threads, each with lattices of its own: neighbours, energies and random numbers are tiny.
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <vector>
#include "tiny.h"

class Random {
public:
    TINY explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 1) {}
    TINY std::uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return std::uint32_t(state_ >> 32);
    }

private:
    std::uint64_t state_;
};

class Lattice {
public:
    explicit Lattice(int n) : n_(n), spins_(std::size_t(n) * n, 1) {}
    TINY int size() const { return n_; }
    TINY int& at(int i, int j) { return spins_[std::size_t(wrap(i)) * n_ + wrap(j)]; }
    TINY int neighbours(int i, int j) { return at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1); }
    double magnetisation() const {
        long sum = 0;
        for (int spin : spins_) sum += spin;
        return double(sum) / double(spins_.size());
    }

private:
    TINY int wrap(int i) const { return i < 0 ? i + n_ : i >= n_ ? i - n_ : i; }
    int n_;
    std::vector<int> spins_;
};

class Acceptance {
public:
    explicit Acceptance(double temperature) {
        for (int k = 0; k < 5; ++k) limit_[k] = std::uint32_t(4294967295.0 * std::exp(-2.0 * k / temperature));
    }
    TINY bool flips(int alignment, Random& random) const { return alignment <= 0 || random.next() < limit_[alignment]; }

private:
    std::uint32_t limit_[5];
};

void sweep(Lattice& lattice, const Acceptance& acceptance, Random& random) {
    for (int i = 0; i < lattice.size(); ++i)
        for (int j = 0; j < lattice.size(); ++j) {
            int& spin = lattice.at(i, j);
            if (acceptance.flips(spin * lattice.neighbours(i, j), random)) spin = -spin;
        }
}

double simulate(int n, int sweeps, int number) {
    Lattice lattice(n);
    Random random{std::uint64_t(number)};
    const Acceptance acceptance(1.5 + 0.25 * number);
    double sum = 0.0;
    for (int s = 0; s < sweeps; ++s) {
        sweep(lattice, acceptance, random);
        sum += std::fabs(lattice.magnetisation());
    }
    return sum / sweeps;
}

int main(int argc, char** argv) {
    const int sweeps = size_argument(argc, argv);
    double result[2] = {};
#pragma omp parallel num_threads(2)
    for (int k = 0; k < 4; ++k) result[omp_get_thread_num()] += simulate(64, sweeps, 2 * k + omp_get_thread_num());
    std::printf("%.9g %.9g\n", result[0], result[1]);
}
