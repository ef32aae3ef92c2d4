// Quicksort of records by a template, with a cut-off below which they are inserted one by one; then groups are summed.
#include <cstdint>
#include <utility>
#include <vector>
#include "tiny.h"

constexpr int CUT_OFF = 12;

struct Record {
    std::uint32_t key, group;
    double weight;
};

template <class T>
void insertion_sort(T* first, T* last) {
    for (T* i = first + 1; i < last; ++i) {
        const T moved = *i;
        T* hole = i;
        for (; hole > first && moved.key < hole[-1].key; --hole) *hole = hole[-1];
        *hole = moved;
    }
}

// Splits around the median of three.
template <class T>
T* partition(T* first, T* last) {
    T *middle = first + (last - first) / 2, *end = last - 1;
    if (middle->key < first->key) std::swap(*middle, *first);
    if (end->key < first->key) std::swap(*end, *first);
    if (end->key < middle->key) std::swap(*end, *middle);
    const auto pivot = middle->key;
    while (true) {
        do ++first;
        while (first->key < pivot);
        do --end;
        while (pivot < end->key);
        if (first >= end) return first;
        std::swap(*first, *end);
    }
}

template <class T>
void quicksort(T* first, T* last) {
    while (last - first > CUT_OFF) {
        T* middle = partition(first, last);
        quicksort(middle, last);
        last = middle;
    }
    insertion_sort(first, last);
}

std::vector<Record> make_records(int n) {
    std::vector<Record> records(n);
    std::uint64_t state = 42;
    for (auto& record : records) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        record = {std::uint32_t(state >> 33), std::uint32_t(state >> 60), 1.0 / double(1 + (state >> 50))};
    }
    return records;
}

double sum_ranks(const std::vector<Record>& records) {
    double sum[16] = {}, total = 0.0;
    for (std::size_t rank = 0; rank < records.size(); ++rank) sum[records[rank].group] += double(rank) * records[rank].weight;
    for (double s : sum) total = 0.5 * total + s;
    return total;
}

int main(int argc, char** argv) {
    auto records = make_records(1000 * size_argument(argc, argv));
    quicksort(records.data(), records.data() + records.size());
    std::printf("%.12g\n", sum_ranks(records));
}
