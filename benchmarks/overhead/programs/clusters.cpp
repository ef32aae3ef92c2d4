// K-means: distances and sums of points with sixteen coordinates in small functions that do some work.
#include <algorithm>
#include <limits>
#include <random>
#include <vector>
#include "tiny.h"

constexpr int AXES = 16, CLUSTERS = 12;

struct Point {
    float x[AXES];
};

TINY float distance(const Point& a, const Point& b) {
    float sum = 0.0f;
    for (int axis = 0; axis < AXES; ++axis) sum += (a.x[axis] - b.x[axis]) * (a.x[axis] - b.x[axis]);
    return sum;
}

TINY void add(Point& sum, const Point& p) {
    for (int axis = 0; axis < AXES; ++axis) sum.x[axis] += p.x[axis];
}

TINY int nearest(const std::vector<Point>& centres, const Point& p) {
    int best = 0;
    float least = std::numeric_limits<float>::max();
    for (int c = 0; c < CLUSTERS; ++c) {
        const float d = distance(centres[c], p);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}

std::vector<Point> make_points(int n) {
    std::mt19937 random(11);
    std::normal_distribution<float> scatter(0.0f, 1.0f);
    std::vector<Point> points(n);
    for (int i = 0; i < n; ++i)
        for (int axis = 0; axis < AXES; ++axis) points[i].x[axis] = 3.0f * ((i + axis) % CLUSTERS) + scatter(random);
    return points;
}

void assign(const std::vector<Point>& points, const std::vector<Point>& centres, std::vector<int>& cluster) {
    for (std::size_t i = 0; i < points.size(); ++i) cluster[i] = nearest(centres, points[i]);
}

void update(const std::vector<Point>& points, const std::vector<int>& cluster, std::vector<Point>& centres) {
    std::vector<int> count(CLUSTERS);
    for (auto& centre : centres) centre = {};
    for (std::size_t i = 0; i < points.size(); ++i) {
        add(centres[cluster[i]], points[i]);
        ++count[cluster[i]];
    }
    for (int c = 0; c < CLUSTERS; ++c)
        for (float& x : centres[c].x) x /= float(std::max(count[c], 1));
}

int main(int argc, char** argv) {
    const auto points = make_points(100 * size_argument(argc, argv));
    std::vector<Point> centres(points.begin(), points.begin() + CLUSTERS);
    std::vector<int> cluster(points.size());
    for (int i = 0; i < 10; ++i) {
        assign(points, centres, cluster);
        update(points, cluster, centres);
    }
    std::printf("%.9g\n", distance(centres[0], centres[5]));
}
