// Alignment of sequences (Smith and Waterman, affine gaps), a row at a time: scores through lambdas in vector loops.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>
#include "tiny.h"

using Scores = std::vector<std::int16_t>;

TINY inline std::int16_t larger(std::int16_t a, std::int16_t b) { return a > b ? a : b; }

// Every position's best score without a gap that ends in this row, and the gaps that come from above.
template <class Score>
void extend_row(const Scores& above, Scores& row, Scores& gaps, const std::string& columns, Score score) {
    const int n = int(columns.size());
    for (int i = 0; i < n; ++i) {
        gaps[i + 1] = larger(std::int16_t(gaps[i + 1] - 1), std::int16_t(above[i + 1] - 3));
        row[i + 1] = larger(larger(std::int16_t(above[i] + score(columns[i])), gaps[i + 1]), 0);
    }
}

std::int16_t close_gaps(Scores& row) {
    std::int16_t gap = -3, best = 0;
    for (auto& value : row) {
        value = larger(value, gap);
        gap = std::int16_t(larger(gap - 1, value - 3));
        best = larger(best, value);
    }
    return best;
}

int align(const std::string& query, const std::string& target) {
    Scores above(target.size() + 1), row(target.size() + 1), gaps(target.size() + 1, -3);
    std::int16_t best = 0;
    for (char letter : query) {
        extend_row(above, row, gaps, target, [letter](char other) TINY -> std::int16_t { return other == letter ? 2 : -1; });
        best = larger(best, close_gaps(row));
        std::swap(above, row);
    }
    return best;
}

std::string make_sequence(int length, std::uint64_t state) {
    std::string sequence(std::size_t(length), 'A');
    for (auto& letter : sequence) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        letter = "ACGT"[state >> 62];
    }
    return sequence;
}

int main(int argc, char** argv) {
    const int targets = size_argument(argc, argv);
    const std::string query = make_sequence(120, 7);
    long sum = 0;
    for (int i = 0; i < targets; ++i) sum += align(query, make_sequence(200 + i % 200, std::uint64_t(i)));
    std::printf("%ld\n", sum);
}
