// A ray tracer: spheres over a plane, shadows and reflections.
#include <algorithm>
#include <cmath>
#include <vector>
#include "tiny.h"

struct Vec {
    double x, y, z;
    TINY Vec(double a, double b, double c) : x(a), y(b), z(c) {}
    TINY Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
    TINY Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }
    TINY Vec operator*(double f) const { return {x * f, y * f, z * f}; }
    TINY double dot(const Vec& o) const { return x * o.x + y * o.y + z * o.z; }
    TINY Vec unit() const { return *this * (1.0 / std::sqrt(dot(*this))); }
};

struct Ray {
    Vec from, along;
    TINY Vec at(double t) const { return from + along * t; }
};

struct Sphere {
    Vec centre;
    double radius, mirror;
    Vec colour;
    TINY double hit(const Ray& ray) const {
        const Vec d = ray.from - centre;
        const double b = d.dot(ray.along), disc = b * b - d.dot(d) + radius * radius;
        if (disc < 0.0) return 1e30;
        const double root = std::sqrt(disc), near = -b - root;
        return near > 1e-6 ? near : (-b + root > 1e-6 ? -b + root : 1e30);
    }
};

struct Hit {
    double distance;
    const Sphere* sphere;
};

TINY Hit nearest(const std::vector<Sphere>& scene, const Ray& ray) {
    Hit hit{1e30, nullptr};
    for (const auto& sphere : scene) {
        const double t = sphere.hit(ray);
        if (t < hit.distance) hit = {t, &sphere};
    }
    return hit;
}

TINY bool shadowed(const std::vector<Sphere>& scene, const Ray& ray) {
    return std::any_of(scene.begin(), scene.end(), [&](const Sphere& s) TINY { return s.hit(ray) < 1e30; });
}

TINY Vec sky(const Vec& along) { return Vec(0.5, 0.7, 1.0) * (0.5 + 0.5 * along.y); }

TINY Vec trace(const std::vector<Sphere>& scene, const Ray& ray, int depth) {
    const Hit hit = nearest(scene, ray);
    if (!hit.sphere) return sky(ray.along);
    const Vec at = ray.at(hit.distance), normal = (at - hit.sphere->centre).unit(), light = Vec(1, 2, -1).unit();
    const double lit = shadowed(scene, {at, light}) ? 0.1 : std::max(0.1, normal.dot(light));
    const Vec own = hit.sphere->colour * lit;
    if (depth == 0 || hit.sphere->mirror == 0.0) return own;
    const Ray reflected{at, ray.along - normal * (2.0 * ray.along.dot(normal))};
    return own * (1.0 - hit.sphere->mirror) + trace(scene, reflected, depth - 1) * hit.sphere->mirror;
}

std::vector<Sphere> make_scene() {
    std::vector<Sphere> scene{{{0, -1000, 0}, 999.0, 0.1, {0.6, 0.6, 0.6}}};
    for (int i = 0; i < 24; ++i)
        scene.push_back({{i % 6 - 2.5, 0.3 * (i % 4) - 0.6, 1.5 + i / 6}, 0.4, 0.1 * (i % 5), {0.9, 0.1 * (i % 9), 0.3}});
    return scene;
}

double render_row(const std::vector<Sphere>& scene, int row, int n) {
    double sum = 0.0;
    for (int column = 0; column < n; ++column) {
        const Vec along = Vec(2.0 * column / n - 1.0, 1.0 - 2.0 * row / n, 1.5).unit();
        const Vec colour = trace(scene, {{0, 0.5, -3}, along}, 3);
        sum += colour.x + colour.y + colour.z;
    }
    return sum;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    const auto scene = make_scene();
    double sum = 0.0;
    for (int row = 0; row < n; ++row) sum += render_row(scene, row, n);
    std::printf("%.12g\n", sum);
}
