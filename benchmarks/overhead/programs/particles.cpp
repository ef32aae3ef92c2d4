// Molecular dynamics: particles with Lennard-Jones forces in cells, vectors with operators.
#include <array>
#include <cmath>
#include <vector>
#include "tiny.h"

struct Vec3 {
    double x, y, z;
};
TINY inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
TINY inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TINY inline Vec3 operator*(double f, Vec3 a) { return {f * a.x, f * a.y, f * a.z}; }
TINY inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
TINY inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Particle {
    Vec3 position, velocity, force;
};

class Box {
public:
    Box(int cells, double width) : cells_(cells), width_(width), members_(cells * cells * cells) {}
    TINY double length() const { return cells_ * width_; }
    TINY int cells() const { return cells_; }
    TINY double wrap(double d) const { return d - length() * std::round(d / length()); }
    TINY Vec3 nearest(Vec3 d) const { return {wrap(d.x), wrap(d.y), wrap(d.z)}; }
    TINY int along(double x) const { return (int(std::floor(x / width_)) % cells_ + cells_) % cells_; }
    TINY int cell(int i, int j, int k) const {
        return ((i + cells_) % cells_ * cells_ + (j + cells_) % cells_) * cells_ + (k + cells_) % cells_;
    }
    TINY std::vector<int>& members(int cell) { return members_[cell]; }

private:
    int cells_;
    double width_;
    std::vector<std::vector<int>> members_;
};

TINY inline double strength(double r2) {
    const double s = 1.0 / (r2 * r2 * r2);
    return 24.0 * (2.0 * s * s - s) / r2;
}

void sort_into_cells(std::vector<Particle>& all, Box& box) {
    for (int c = 0; c < box.cells() * box.cells() * box.cells(); ++c) box.members(c).clear();
    for (int i = 0; i < int(all.size()); ++i) {
        const Vec3 p = all[i].position;
        box.members(box.cell(box.along(p.x), box.along(p.y), box.along(p.z))).push_back(i);
    }
}

void forces_of_cell(std::vector<Particle>& all, Box& box, const std::vector<int>& here, const std::vector<int>& there) {
    for (int a : here)
        for (int b : there) {
            if (a == b) continue;
            const Vec3 d = box.nearest(all[a].position - all[b].position);
            const double r2 = dot(d, d);
            if (r2 < 6.25) all[a].force += strength(std::fmax(r2, 0.8)) * d;
        }
}

void calc_forces(std::vector<Particle>& all, Box& box) {
    for (auto& p : all) p.force = {0, 0, 0};
    for (int i = 0; i < box.cells(); ++i)
        for (int j = 0; j < box.cells(); ++j)
            for (int k = 0; k < box.cells(); ++k)
                for (int d = 0; d < 27; ++d)
                    forces_of_cell(all, box, box.members(box.cell(i, j, k)),
                                   box.members(box.cell(i + d / 9 - 1, j + d / 3 % 3 - 1, k + d % 3 - 1)));
}

void move(std::vector<Particle>& all, double dt) {
    for (auto& p : all) {
        p.velocity += dt * p.force;
        p.position += dt * p.velocity;
    }
}

double kinetic(const std::vector<Particle>& all) {
    double sum = 0.0;
    for (const auto& p : all) sum += 0.5 * dot(p.velocity, p.velocity);
    return sum;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    Box box(n, 2.5);
    std::vector<Particle> all;
    const int side = 2 * n;
    for (int i = 0; i < side * side * side; ++i)
        all.push_back({{1.25 * (i % side), 1.25 * (i / side % side), 1.25 * (i / side / side) + 0.01 * (i % 7)}, {}, {}});
    for (int step = 0; step < 4; ++step) {
        sort_into_cells(all, box);
        calc_forces(all, box);
        move(all, 1e-3);
    }
    std::printf("%.12g\n", kinetic(all));
}
