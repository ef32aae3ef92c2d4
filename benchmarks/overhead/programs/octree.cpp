// Gravity by an octree (Barnes and Hut): recursion whose every visit does some work, compiled with -O1.
#include <cmath>
#include <memory>
#include <vector>
#include "tiny.h"

struct Body {
    double x[3], mass, a[3];
};

struct Node {
    double centre[3], half, mass = 0.0, moment[3] = {};
    const Body* only = nullptr;
    std::unique_ptr<Node> child[8];
};

void insert(Node& node, const Body* body, int depth);

void insert_below(Node& node, const Body* body, int depth) {
    int octant = 0;
    for (int d = 0; d < 3; ++d) octant |= (body->x[d] > node.centre[d]) << d;
    auto& child = node.child[octant];
    if (!child) {
        child = std::make_unique<Node>();
        child->half = node.half / 2;
        for (int d = 0; d < 3; ++d) child->centre[d] = node.centre[d] + (octant >> d & 1 ? child->half : -child->half);
    }
    insert(*child, body, depth + 1);
}

void insert(Node& node, const Body* body, int depth) {
    const bool empty = node.mass == 0.0;
    node.mass += body->mass;
    for (int d = 0; d < 3; ++d) node.moment[d] += body->mass * body->x[d];
    if (depth == 20) return;
    if (empty) {
        node.only = body;
        return;
    }
    if (node.only) insert_below(node, node.only, depth);
    node.only = nullptr;
    insert_below(node, body, depth);
}

void pull(const Node& node, Body& body) {
    double d[3], r2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = node.moment[k] / node.mass - body.x[k];
        r2 += d[k] * d[k];
    }
    if (node.only || 4.0 * node.half * node.half < 0.36 * r2) {
        if (node.only == &body) return;
        r2 += 1e-4;
        const double f = node.mass / (r2 * std::sqrt(r2));
        for (int k = 0; k < 3; ++k) body.a[k] += f * d[k];
        return;
    }
    for (const auto& child : node.child)
        if (child) pull(*child, body);
}

std::vector<Body> make_bodies(int n) {
    std::vector<Body> bodies(n);
    for (int i = 0; i < n; ++i) {
        const double r = 0.9 * std::cbrt((i + 0.5) / n), z = std::cos(1.7 * i), s = std::sqrt(1.0 - z * z);
        bodies[i] = {{r * s * std::cos(2.4 * i), r * s * std::sin(2.4 * i), r * z}, 1.0 / n, {}};
    }
    return bodies;
}

int main(int argc, char** argv) {
    auto bodies = make_bodies(100 * size_argument(argc, argv));
    for (int step = 0; step < 2; ++step) {
        Node root;
        root.half = 1.0;
        for (double& c : root.centre) c = 0.0;
        for (const auto& body : bodies) insert(root, &body, 0);
        for (auto& body : bodies) pull(root, body);
        for (auto& body : bodies)
            for (int d = 0; d < 3; ++d) body.x[d] += 1e-3 * body.a[d];
    }
    double sum = 0.0;
    for (const auto& body : bodies) sum += std::fabs(body.a[0]) + std::fabs(body.a[1]) + std::fabs(body.a[2]);
    std::printf("%.10g\n", sum);
}
