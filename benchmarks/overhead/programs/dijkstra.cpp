// Shortest paths on a random graph with std::priority_queue; the standard library is not instrumented here.
#include <limits>
#include <queue>
#include <random>
#include <vector>
#include "tiny.h"

struct Edge {
    int to;
    float length;
};

class Graph {
public:
    Graph(int vertices, int degree);
    TINY int vertices() const { return int(edges_.size()); }
    TINY const std::vector<Edge>& edges(int v) const { return edges_[v]; }

private:
    std::vector<std::vector<Edge>> edges_;
};

Graph::Graph(int vertices, int degree) : edges_(vertices) {
    std::mt19937 random(5);
    for (int v = 0; v < vertices; ++v)
        for (int k = 0; k < degree; ++k) {
            const int near = (v + 1 + int(random() % 50)) % vertices;
            edges_[v].push_back({k ? near : int(random() % unsigned(vertices)), 1.0f + float(random() % 100)});
        }
}

struct Entry {
    float distance;
    int vertex;
};

struct Farther {
    TINY bool operator()(const Entry& a, const Entry& b) const { return a.distance > b.distance; }
};

class Frontier {
public:
    TINY bool empty() const { return queue_.empty(); }
    TINY void push(float distance, int vertex) { queue_.push({distance, vertex}); }
    TINY Entry pop() {
        const Entry top = queue_.top();
        queue_.pop();
        return top;
    }

private:
    std::priority_queue<Entry, std::vector<Entry>, Farther> queue_;
};

class Distances {
public:
    TINY explicit Distances(int n) : values_(n, std::numeric_limits<float>::infinity()) {}
    TINY float of(int v) const { return values_[v]; }
    TINY bool reached(int v) const { return values_[v] < std::numeric_limits<float>::infinity(); }
    TINY bool improve(int v, float distance) {
        if (distance >= values_[v]) return false;
        values_[v] = distance;
        return true;
    }

private:
    std::vector<float> values_;
};

Distances shortest(const Graph& graph, int source) {
    Distances distances(graph.vertices());
    Frontier frontier;
    distances.improve(source, 0.0f);
    frontier.push(0.0f, source);
    while (!frontier.empty()) {
        const Entry entry = frontier.pop();
        if (entry.distance > distances.of(entry.vertex)) continue;
        for (const Edge& edge : graph.edges(entry.vertex)) {
            const float distance = entry.distance + edge.length;
            if (distances.improve(edge.to, distance)) frontier.push(distance, edge.to);
        }
    }
    return distances;
}

double sum_of(const Distances& distances, const Graph& graph) {
    double sum = 0.0;
    for (int v = 0; v < graph.vertices(); ++v) sum += distances.reached(v) ? distances.of(v) : 0.0f;
    return sum;
}

int main(int argc, char** argv) {
    const Graph graph(1000 * size_argument(argc, argv), 8);
    double sum = 0.0;
    for (int source = 0; source < 4; ++source) sum += sum_of(shortest(graph, source), graph);
    std::printf("%.12g\n", sum);
}
