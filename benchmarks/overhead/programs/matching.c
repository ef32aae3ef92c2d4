// Search in the lines of a log: fixed strings (Horspool), wildcards, and strings with errors (Myers' bit vectors), each
// pattern with its function.
#include <stdint.h>
#include <string.h>
#include "tiny.h"

typedef struct Pattern {
    const char* text;
    int length, limit;
    int (*matches)(const struct Pattern*, const char*, int);
    uint64_t bits[256];
    int skip[256];
} Pattern;

static int find_fixed(const Pattern* p, const char* line, int n) {
    for (int at = p->length - 1; at < n; at += p->skip[(unsigned char)line[at]]) {
        int k = 0;
        while (k < p->length && line[at - k] == p->text[p->length - 1 - k]) ++k;
        if (k == p->length) return 1;
    }
    return 0;
}

static int match_wildcards(const Pattern* p, const char* line, int n) {
    int i = 0, j = 0, star = -1, mark = 0;
    while (i < n) {
        if (j < p->length && (p->text[j] == line[i] || p->text[j] == '?')) {
            ++i, ++j;
        } else if (j < p->length && p->text[j] == '*') {
            star = j++;
            mark = i;
        } else if (star >= 0) {
            j = star + 1;
            i = ++mark;
        } else {
            return 0;
        }
    }
    while (j < p->length && p->text[j] == '*') ++j;
    return j == p->length;
}

static int find_with_errors(const Pattern* p, const char* line, int n) {
    uint64_t positive = ~(uint64_t)0, negative = 0;
    const uint64_t top = (uint64_t)1 << (p->length - 1);
    int score = p->length;
    for (int i = 0; i < n; ++i) {
        const uint64_t equal = p->bits[(unsigned char)line[i]], vertical = equal | negative;
        const uint64_t horizontal = (((equal & positive) + positive) ^ positive) | equal;
        uint64_t up = negative | ~(horizontal | positive), down = positive & horizontal;
        score += ((up & top) != 0) - ((down & top) != 0);
        if (score <= p->limit) return 1;
        up <<= 1;
        down <<= 1;
        positive = down | ~(vertical | up);
        negative = up & vertical;
    }
    return 0;
}

static void prepare(Pattern* p) {
    p->length = (int)strlen(p->text);
    for (int c = 0; c < 256; ++c) p->skip[c] = p->length;
    for (int i = 0; i < p->length; ++i) {
        p->bits[(unsigned char)p->text[i]] |= (uint64_t)1 << i;
        if (i < p->length - 1) p->skip[(unsigned char)p->text[i]] = p->length - 1 - i;
    }
}

static int make_line(uint64_t number, char* line) {
    static const char* const words[8] = {"node", "failed", "rank", "timeout", "write", "checkpoint", "memory", "step"};
    int n = 0;
    for (uint64_t state = number * 2654435761u + 12345; n < 60; state = state * 6364136223846793005u + 1) {
        const char* word = words[state >> 40 & 7];
        const int length = (int)strlen(word);
        memcpy(line + n, word, length);
        n += length;
        line[n++] = state >> 50 & 1 ? ' ' : (char)('0' + (state >> 52) % 10);
    }
    return n;
}

int main(int argc, char** argv) {
    static Pattern patterns[] = {
        {"checkpoint failed", 0, 0, find_fixed, {0}, {0}},     {"*rank?node*memory *", 0, 0, match_wildcards, {0}, {0}},
        {"timeout writing step", 0, 4, find_with_errors, {0}, {0}}, {"step 7", 0, 0, find_fixed, {0}, {0}},
        {"node memory failed", 0, 5, find_with_errors, {0}, {0}},
    };
    const int lines = 1000 * size_argument(argc, argv), count = sizeof patterns / sizeof *patterns;
    for (int k = 0; k < count; ++k) prepare(&patterns[k]);
    int found[5] = {0};
    for (int i = 0; i < lines; ++i) {
        char line[80];
        const int n = make_line((uint64_t)i, line);
        for (int k = 0; k < count; ++k) found[k] += patterns[k].matches(&patterns[k], line, n);
    }
    printf("%d %d %d %d %d\n", found[0], found[1], found[2], found[3], found[4]);
    return 0;
}
