// Word counts of a made text: std::map, std::unordered_map and std::string, all instrumented with their templates.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>
#include "tiny.h"

std::vector<std::string> make_text(int words) {
    std::mt19937 random(3);
    std::vector<std::string> text;
    for (int i = 0; i < words; ++i) {
        const unsigned rank = 1 + unsigned(3000.0 / (1.0 + random() % 3000));
        text.push_back("word" + std::to_string(rank * (1 + random() % 5)));
    }
    return text;
}

std::unordered_map<std::string, int> count(const std::vector<std::string>& text) {
    std::unordered_map<std::string, int> counts;
    for (const auto& word : text) ++counts[word];
    return counts;
}

std::map<std::string, int> count_pairs(const std::vector<std::string>& text) {
    std::map<std::string, int> counts;
    for (std::size_t i = 1; i < text.size(); ++i) ++counts[text[i - 1] + " " + text[i]];
    return counts;
}

std::vector<std::pair<int, std::string>> most_frequent(const std::unordered_map<std::string, int>& counts) {
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [word, number] : counts) order.emplace_back(number, word);
    std::sort(order.begin(), order.end(), std::greater<>());
    return order;
}

unsigned long long checksum(const std::map<std::string, int>& counts) {
    unsigned long long sum = 0;
    for (const auto& entry : counts)
        for (char c : entry.first) sum = sum * 131 + unsigned(c) + unsigned(entry.second);
    return sum;
}

int main(int argc, char** argv) {
    const auto text = make_text(1000 * size_argument(argc, argv));
    const auto order = most_frequent(count(text));
    std::printf("%s %d %llu\n", order[0].second.c_str(), order[0].first, checksum(count_pairs(text)));
}
