// Lookups of cross-sections as in Monte Carlo codes of reactors: a binary search in the grid of each nuclide.
#include <stdint.h>
#include "tiny.h"

enum { NUCLIDES = 60, POINTS = 3000, REACTIONS = 5, MATERIALS = 8 };

typedef struct {
    double energy, section[REACTIONS];
} Point;

typedef struct {
    int nuclides, nuclide[NUCLIDES];
    double density[NUCLIDES];
} Material;

static Point grid[NUCLIDES][POINTS];
static Material materials[MATERIALS];

static void make_grid(int nuclide) {
    double energy = 0.0;
    for (int p = 0; p < POINTS; ++p) {
        energy += (1.0 + (p * 7919 + nuclide * 31) % 97) / 98.0;
        grid[nuclide][p].energy = energy;
        for (int r = 0; r < REACTIONS; ++r) grid[nuclide][p].section[r] = 1.0 + (p * (r + 3) + nuclide) % 41;
    }
    for (int p = 0; p < POINTS; ++p) grid[nuclide][p].energy /= energy;
}

static void make_material(int m) {
    Material* material = &materials[m];
    material->nuclides = m == 0 ? 40 : 3 + 2 * m;
    for (int i = 0; i < material->nuclides; ++i) {
        material->nuclide[i] = (m * 13 + i * 7) % NUCLIDES;
        material->density[i] = 0.01 * (1 + i % 9);
    }
}

static int search(const Point* points, double energy) {
    int low = 0, high = POINTS - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (points[middle].energy > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static void add_nuclide(int nuclide, double energy, double density, double* sum) {
    const int at = search(grid[nuclide], energy);
    const Point *low = &grid[nuclide][at], *high = low + 1;
    const double share = (energy - low->energy) / (high->energy - low->energy);
    for (int r = 0; r < REACTIONS; ++r) sum[r] += density * (low->section[r] + share * (high->section[r] - low->section[r]));
}

static void look_up(const Material* material, double energy, double* sum) {
    for (int r = 0; r < REACTIONS; ++r) sum[r] = 0.0;
    for (int i = 0; i < material->nuclides; ++i) add_nuclide(material->nuclide[i], energy, material->density[i], sum);
}

int main(int argc, char** argv) {
    const long lookups = 1000L * size_argument(argc, argv);
    for (int n = 0; n < NUCLIDES; ++n) make_grid(n);
    for (int m = 0; m < MATERIALS; ++m) make_material(m);
    uint64_t state = 1;
    double total = 0.0, sum[REACTIONS];
    for (long i = 0; i < lookups; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        look_up(&materials[state >> 20 & 7], (double)(state >> 33) / 2147483648.0, sum);
        for (int r = 0; r < REACTIONS; ++r) total += sum[r];
    }
    printf("%.12g\n", total);
    return 0;
}
