// Monte Carlo transport: neutrons fly through slabs, scatter and are absorbed; functions of logarithms and cosines.
#include <cmath>
#include <cstdint>
#include <vector>
#include "tiny.h"

class Random {
public:
    TINY explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 1) {}
    TINY double uniform() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return double((state_ >> 11) + 1) / 9007199254740993.0;
    }
    TINY double exponential() { return -std::log(uniform()); }
    TINY double cosine() { return 2.0 * uniform() - 1.0; }

private:
    std::uint64_t state_;
};

struct Slab {
    double end, total, absorbed;
};

class Geometry {
public:
    explicit Geometry(int slabs) {
        for (int i = 0; i < slabs; ++i) slabs_.push_back({i + 1.0, 1.0 + 0.3 * (i % 3), 0.2 + 0.1 * (i % 2)});
    }
    TINY bool outside(double x) const { return x < 0.0 || x >= slabs_.back().end; }
    TINY const Slab& at(double x) const { return slabs_[std::size_t(x)]; }
    TINY int size() const { return int(slabs_.size()); }

private:
    std::vector<Slab> slabs_;
};

class Tally {
public:
    TINY explicit Tally(int slabs) : flux_(slabs) {}
    TINY void add(double x, double weight) { flux_[std::size_t(x)] += weight; }
    double entropy() const {
        double sum = 0.0, total = 0.0;
        for (double f : flux_) total += f;
        for (double f : flux_) sum -= f > 0.0 ? f / total * std::log(f / total) : 0.0;
        return sum;
    }

private:
    std::vector<double> flux_;
};

TINY int history(const Geometry& geometry, Tally& tally, std::uint64_t seed) {
    Random random(seed);
    double x = 0.5, direction = random.cosine(), weight = 1.0;
    int collisions = 0;
    while (weight > 0.01) {
        x += direction * random.exponential() / geometry.at(x).total;
        if (geometry.outside(x)) break;
        const Slab& slab = geometry.at(x);
        tally.add(x, weight * slab.absorbed / slab.total);
        weight *= 1.0 - slab.absorbed / slab.total;
        direction = random.cosine();
        ++collisions;
    }
    return collisions;
}

long simulate(const Geometry& geometry, Tally& tally, int histories) {
    long collisions = 0;
    for (int i = 0; i < histories; ++i) collisions += history(geometry, tally, std::uint64_t(i));
    return collisions;
}

int main(int argc, char** argv) {
    const Geometry geometry(20);
    Tally tally(geometry.size());
    const long collisions = simulate(geometry, tally, 1000 * size_argument(argc, argv));
    std::printf("%ld %.12g\n", collisions, tally.entropy());
}
