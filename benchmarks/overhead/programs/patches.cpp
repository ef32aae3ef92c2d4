// Adaptive mesh refinement: patches of 8 x 8 cells in a quadtree, advanced through virtual functions.
#include <cmath>
#include <memory>
#include <vector>
#include "tiny.h"

constexpr int N = 8, STRIDE = N + 2;

class Patch {
public:
    Patch(double x, double y, double width) : x_(x), y_(y), width_(width), u_{}, next_{} {}
    virtual ~Patch() {}
    void fill_ghosts();
    virtual void advance(double dt) = 0;
    double roughness() const;
    void start();

protected:
    double x_, y_, width_;
    double u_[STRIDE * STRIDE], next_[STRIDE * STRIDE];
};

void Patch::start() {
    for (int i = 0; i < STRIDE * STRIDE; ++i) {
        const double x = x_ + width_ * (i % STRIDE - 0.5) / N - 0.3, y = y_ + width_ * (i / STRIDE - 0.5) / N - 0.3;
        u_[i] = 1.0 / (1.0 + 40.0 * (x * x + y * y));
    }
}

// Nothing flows in: the border goes on outside.
void Patch::fill_ghosts() {
    for (int i = 0; i < STRIDE; ++i) {
        u_[i] = u_[STRIDE + i];
        u_[(N + 1) * STRIDE + i] = u_[N * STRIDE + i];
    }
    for (int j = 0; j < STRIDE; ++j) {
        u_[j * STRIDE] = u_[j * STRIDE + 1];
        u_[j * STRIDE + N + 1] = u_[j * STRIDE + N];
    }
}

double Patch::roughness() const {
    double most = 0.0;
    for (int j = 1; j <= N; ++j)
        for (int i = 1; i <= N; ++i) {
            const double* c = u_ + j * STRIDE + i;
            most = std::fmax(most, std::fabs(c[1] - c[-1]) + std::fabs(c[STRIDE] - c[-STRIDE]));
        }
    return most;
}

// First order in smooth places.
class Upwind : public Patch {
public:
    using Patch::Patch;
    void advance(double dt) override {
        const double c = dt * N / width_;
        for (int j = 1; j <= N; ++j)
            for (int i = 1; i <= N; ++i) {
                const double* u = u_ + j * STRIDE + i;
                next_[j * STRIDE + i] = u[0] - c * u[0] * (2.0 * u[0] - u[-1] - u[-STRIDE]);
            }
        for (int j = 1; j <= N; ++j)
            for (int i = 1; i <= N; ++i) u_[j * STRIDE + i] = next_[j * STRIDE + i];
    }
};

// Local Lax-Friedrichs fluxes where it is rough.
class Central : public Patch {
public:
    using Patch::Patch;
    void advance(double dt) override {
        const double c = dt * N / width_;
        for (int side : {1, STRIDE}) {
            for (int i = 0; i < STRIDE * STRIDE - side; ++i) {
                const double l = u_[i], r = u_[i + side];
                next_[i] = 0.25 * (l * l + r * r) - 0.5 * std::fmax(std::fabs(l), std::fabs(r)) * (r - l);
            }
            for (int i = STRIDE + 1; i < (N + 1) * STRIDE - 1; ++i) u_[i] -= c * (next_[i] - next_[i - side]);
        }
    }
};

using Patches = std::vector<std::unique_ptr<Patch>>;

// Splits until the patches are smooth or small.
void refine(Patches& all, double x, double y, double width, int depth) {
    auto patch = std::make_unique<Upwind>(x, y, width);
    patch->start();
    if (patch->roughness() < 0.06) {
        all.push_back(std::move(patch));
    } else if (depth == 0) {
        all.push_back(std::make_unique<Central>(x, y, width));
        all.back()->start();
    } else {
        for (int k = 0; k < 4; ++k) refine(all, x + width / 2 * (k % 2), y + width / 2 * (k / 2), width / 2, depth - 1);
    }
}

int main(int argc, char** argv) {
    const int steps = 10 * size_argument(argc, argv);
    Patches all;
    refine(all, 0.0, 0.0, 1.0, 3);
    double sum = 0.0;
    for (int step = 0; step < steps; ++step) {
        double roughest = 0.0;
        for (auto& patch : all) patch->fill_ghosts();
        for (auto& patch : all) patch->advance(1e-4);
        for (auto& patch : all) roughest = std::fmax(roughest, patch->roughness());
        sum += roughest;
    }
    std::printf("%zu %.12g\n", all.size(), sum);
}
