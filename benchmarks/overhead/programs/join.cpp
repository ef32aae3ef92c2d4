// A join of two tables: both are partitioned, every partition is joined by a hash table, matches go to a std::function.
#include <cstdint>
#include <functional>
#include <vector>
#include "tiny.h"

constexpr int PARTITIONS = 256, SLOTS = 1024;

struct Row {
    std::uint32_t key, value;
};

using Table = std::vector<Row>;
using Emit = std::function<void(const Row&, const Row&)>;

TINY inline std::uint32_t hash(std::uint32_t key) { return (key * 2654435761u) >> 8; }

Table make_table(int rows, std::uint32_t keys, std::uint64_t state) {
    Table table(rows);
    for (auto& row : table) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        row = {std::uint32_t(state >> 33) % keys, std::uint32_t(state >> 52)};
    }
    return table;
}

std::vector<Table> partition(const Table& table) {
    std::vector<Table> parts(PARTITIONS);
    for (const Row& row : table) parts[hash(row.key) % PARTITIONS].push_back(row);
    return parts;
}

class Index {
public:
    explicit Index(const Table& table) : table_(table), head_(SLOTS, -1), next_(table.size()) {
        for (int i = 0; i < int(table.size()); ++i) insert(i);
    }
    void probe(const Row& row, const Emit& emit) const {
        for (int i = head_[slot(row.key)]; i >= 0; i = next_[i])
            if (table_[i].key == row.key) emit(table_[i], row);
    }

private:
    TINY static int slot(std::uint32_t key) { return int(hash(key) / PARTITIONS % SLOTS); }
    TINY void insert(int i) {
        int& head = head_[slot(table_[i].key)];
        next_[i] = head;
        head = i;
    }
    const Table& table_;
    std::vector<int> head_, next_;
};

void join(const Table& small, const Table& large, const Emit& emit) {
    const Index index(small);
    for (const Row& row : large) index.probe(row, emit);
}

int main(int argc, char** argv) {
    const int rows = 1000 * size_argument(argc, argv);
    const auto small = partition(make_table(rows, std::uint32_t(rows), 1));
    const auto large = partition(make_table(4 * rows, std::uint32_t(rows), 2));
    std::uint64_t matches = 0, sum = 0;
    const Emit add = [&](const Row& a, const Row& b) TINY {
        ++matches;
        sum += std::uint64_t(a.value) * b.value;
    };
    for (int p = 0; p < PARTITIONS; ++p) join(small[p], large[p], add);
    std::printf("%llu %llu\n", (unsigned long long)matches, (unsigned long long)sum);
}
