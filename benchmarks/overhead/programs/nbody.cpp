// Gravitation: a direct sum over plain arrays, beside an integrator and diagnostics with accessors per body.
#include <cmath>
#include <vector>
#include "tiny.h"

class Bodies {
public:
    explicit Bodies(int n);
    TINY int size() const { return int(mass_.size()); }
    TINY double mass(int i) const { return mass_[i]; }
    TINY double& position(int i, int axis) { return position_[3 * i + axis]; }
    TINY double& velocity(int i, int axis) { return velocity_[3 * i + axis]; }
    TINY const double* positions() const { return position_.data(); }
    TINY const double* masses() const { return mass_.data(); }

private:
    std::vector<double> mass_, position_, velocity_;
};

Bodies::Bodies(int n) : mass_(n, 1.0 / n), position_(3 * n), velocity_(3 * n) {
    for (int i = 0; i < n; ++i) {
        position(i, 0) = std::cos(2.4 * i) * std::sqrt(i + 1.0);
        position(i, 1) = std::sin(2.4 * i) * std::sqrt(i + 1.0);
        position(i, 2) = 0.1 * (i % 13);
    }
}

struct Pull {
    double a[3];
};

Pull pull_on(int i, const double* p, const double* mass, int n) {
    Pull pull{};
    for (int j = 0; j < n; ++j) {
        const double dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
        const double r2 = dx * dx + dy * dy + dz * dz + 0.01, f = mass[j] / (r2 * std::sqrt(r2));
        pull.a[0] += f * dx;
        pull.a[1] += f * dy;
        pull.a[2] += f * dz;
    }
    return pull;
}

void accelerate(Bodies& bodies, double dt) {
    for (int i = 0; i < bodies.size(); ++i) {
        const Pull pull = pull_on(i, bodies.positions(), bodies.masses(), bodies.size());
        for (int axis = 0; axis < 3; ++axis) bodies.velocity(i, axis) += dt * pull.a[axis];
    }
}

void drift(Bodies& bodies, double dt) {
    for (int i = 0; i < bodies.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) bodies.position(i, axis) += dt * bodies.velocity(i, axis);
}

TINY inline double square(double a) { return a * a; }

double kinetic(Bodies& bodies) {
    double sum = 0.0;
    for (int i = 0; i < bodies.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) sum += 0.5 * bodies.mass(i) * square(bodies.velocity(i, axis));
    return sum;
}

int main(int argc, char** argv) {
    Bodies bodies(size_argument(argc, argv));
    double energy = 0.0;
    for (int step = 0; step < 40; ++step) {
        accelerate(bodies, 0.01);
        drift(bodies, 0.01);
        energy = kinetic(bodies);
    }
    std::printf("%.12g\n", energy);
}
