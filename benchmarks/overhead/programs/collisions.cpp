// Collision of convex bodies: boxes sorted along an axis, then a search for a separating direction that asks both shapes
// for their farthest points through a virtual function.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>
#include "tiny.h"

constexpr float REACH = 1.2f;

struct Vec {
    float x, y, z;
};
TINY inline Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
TINY inline Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TINY inline Vec operator*(float f, const Vec& a) { return {f * a.x, f * a.y, f * a.z}; }
TINY inline float dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

class Shape {
public:
    TINY explicit Shape(Vec centre) : centre_(centre) {}
    TINY virtual ~Shape() {}
    TINY virtual Vec farthest(const Vec& along) const = 0;
    Vec centre_, velocity_{};
};

class Ball : public Shape {
public:
    TINY Ball(Vec centre, float r) : Shape(centre), r_(r) {}
    TINY Vec farthest(const Vec& along) const override { return centre_ + r_ / std::sqrt(dot(along, along) + 1e-12f) * along; }

private:
    float r_;
};

class Box : public Shape {
public:
    TINY Box(Vec centre, Vec half) : Shape(centre), half_(half) {}
    TINY Vec farthest(const Vec& along) const override {
        return centre_ + Vec{std::copysign(half_.x, along.x), std::copysign(half_.y, along.y), std::copysign(half_.z, along.z)};
    }

private:
    Vec half_;
};

// Goes from a point of the difference of the shapes towards the origin (Frank and Wolfe); apart if it cannot be reached.
bool touch(const Shape& a, const Shape& b) {
    Vec p = a.centre_ - b.centre_;
    for (int i = 0; i < 12; ++i) {
        const Vec s = a.farthest(-1.0f * p) - b.farthest(p), way = s - p;
        if (dot(s, p) > 0.0f) return false;
        const float share = std::clamp(-dot(p, way) / (dot(way, way) + 1e-12f), 0.0f, 1.0f);
        p = p + share * way;
        if (dot(p, p) < 1e-4f) return true;
    }
    return true;
}

void bounce(Shape& a, Shape& b) {
    const Vec normal = a.centre_ - b.centre_;
    const Vec change = dot(a.velocity_ - b.velocity_, normal) / (dot(normal, normal) + 1e-6f) * normal;
    a.velocity_ = a.velocity_ - change;
    b.velocity_ = b.velocity_ + change;
}

int main(int argc, char** argv) {
    const int n = 100 * size_argument(argc, argv);
    const float side = 1.3f * std::cbrt(float(n));
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < n; ++i) {
        const Vec at{side * float(i * 37 % 101) / 101, side * float(i * 53 % 211) / 211, side * float(i * 71 % 307) / 307};
        if (i % 2) shapes.push_back(std::make_unique<Ball>(at, 0.4f + 0.05f * float(i % 5)));
        else shapes.push_back(std::make_unique<Box>(at, Vec{0.3f, 0.4f + 0.02f * float(i % 7), 0.5f}));
        shapes.back()->velocity_ = 0.1f * Vec{float(i % 7 - 3), float(i % 5 - 2), float(i % 3 - 1)};
    }
    long contacts = 0;
    for (int step = 0; step < 10; ++step) {
        std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) TINY { return a->centre_.x < b->centre_.x; });
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n && shapes[j]->centre_.x - shapes[i]->centre_.x < REACH; ++j) {
                Shape &a = *shapes[i], &b = *shapes[j];
                if (std::fabs(a.centre_.y - b.centre_.y) > REACH || std::fabs(a.centre_.z - b.centre_.z) > REACH) continue;
                if (!touch(a, b)) continue;
                bounce(a, b);
                ++contacts;
            }
        for (auto& shape : shapes) shape->centre_ = shape->centre_ + 0.05f * shape->velocity_;
    }
    std::printf("%ld %.6g\n", contacts, shapes[std::size_t(n / 2)]->centre_.x);
}
