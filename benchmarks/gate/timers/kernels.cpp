// Twelve small kernels with timers: one line of JSON per kernel, as Extra-P reads it.
//
//     g++ -O2 -std=c++17 kernels.cpp -o kernels && ./kernels 64 >> series.jsonl

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

static double result = 0.0;  // printed to standard error, so that no kernel is optimised away
static double total = 0.0;
static int scale = 0;

template <class Kernel>
void timed(const char* name, Kernel kernel) {
    const auto start = std::chrono::steady_clock::now();
    kernel();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    total += seconds.count();
    std::printf("{\"params\": {\"n\": %d}, \"callpath\": \"main->%s\", \"metric\": \"time\", \"value\": %.9f}\n",
                scale, name, seconds.count());
}

int main(int count, char** arguments) {
    scale = count > 1 ? std::atoi(arguments[1]) : 64;
    const std::size_t cells = std::size_t(scale) * scale * 64;
    std::vector<double> a(cells, 1.0), b(cells, 2.0), c(cells, 0.5);
    std::uint64_t state = 88172645463325252ULL;
    auto random = [&state] { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; };

    timed("fill", [&] { for (std::size_t i = 0; i < cells; ++i) a[i] = double(random() % 1000) / 1000; });
    timed("triad", [&] { for (int k = 0; k < 8; ++k) for (std::size_t i = 0; i < cells; ++i) c[i] = a[i] + 0.3 * b[i] + 0.1 * c[i]; });
    timed("reduce", [&] { for (int k = 0; k < 8; ++k) result += std::inner_product(a.begin(), a.end(), c.begin(), 0.0); });
    timed("sqrt", [&] { for (std::size_t i = 0; i < cells; ++i) b[i] = std::sqrt(std::abs(c[i]) + a[i]) / (1 + a[i]); });
    timed("exp", [&] { for (std::size_t i = 0; i < cells / 2; ++i) b[i] = std::exp(-a[i]) * std::log1p(a[i]); });
    timed("stencil", [&] {
        for (int k = 0; k < 6; ++k)
            for (std::size_t i = std::size_t(scale); i + scale < cells; ++i)
                c[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - scale] + a[i + scale]);
    });
    timed("matmul", [&] {
        const std::size_t m = std::size_t(2 * scale);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t k = 0; k < m; ++k)
                for (std::size_t j = 0; j < m; ++j) c[i * m + j] += a[i * m + k] * b[k * m + j];
    });
    timed("sort", [&] { std::vector<double> copy(a.begin(), a.begin() + cells / 8); std::sort(copy.begin(), copy.end()); result += copy[7]; });
    timed("hash", [&] {
        std::unordered_map<std::uint64_t, int> table;
        for (std::size_t i = 0; i < cells / 32; ++i) ++table[random() % (cells / 16)];
        result += double(table.size());
    });
    timed("gather", [&] { for (std::size_t i = 0; i < cells; ++i) result += a[random() % cells]; });
    timed("allocate", [&] { for (int i = 0; i < 40 * scale; ++i) { std::vector<double> v(2000, i); result += v[7]; } });
    timed("text", [&] { std::string text; for (std::size_t i = 0; i < cells / 64; ++i) text += std::to_string(a[i]); result += double(text.size()); });
    std::fprintf(stderr, "%d: %.3f s (%g)\n", scale, total, result);
}
