// Molecular dynamics: forces of one cell's atoms on another's in a function of arrays, the shape that vector code wants.
#include <algorithm>
#include <cmath>
#include <vector>
#include "tiny.h"

constexpr int MOST = 16;
constexpr float WIDTH = 2.5f, CUT = 6.25f;

struct Cell {
    int atoms;
    float x[3][MOST], v[3][MOST], f[3][MOST];
};

float forces_of_pair(Cell& a, const Cell& b, const float* shift) {
    float energy = 0.0f;
    for (int i = 0; i < a.atoms; ++i) {
        float e[MOST], fx[MOST], fy[MOST], fz[MOST];
        for (int j = 0; j < MOST; ++j) {
            const float dx = a.x[0][i] - b.x[0][j] - shift[0], dy = a.x[1][i] - b.x[1][j] - shift[1];
            const float dz = a.x[2][i] - b.x[2][j] - shift[2], r2 = dx * dx + dy * dy + dz * dz + 0.2f;
            const float s = 1.0f / r2, s3 = s * s * s, inside = r2 < CUT && j < b.atoms ? 1.0f : 0.0f;
            const float strength = inside * 24.0f * s * s3 * (2.0f * s3 - 1.0f);
            e[j] = inside * 4.0f * s3 * (s3 - 1.0f);
            fx[j] = strength * dx;
            fy[j] = strength * dy;
            fz[j] = strength * dz;
        }
        for (int j = 0; j < MOST; ++j) {
            energy += e[j];
            a.f[0][i] += fx[j];
            a.f[1][i] += fy[j];
            a.f[2][i] += fz[j];
        }
    }
    return energy;
}

void move_cell(Cell& cell, float dt) {
    for (int d = 0; d < 3; ++d)
        for (int i = 0; i < cell.atoms; ++i) {
            cell.v[d][i] += dt * std::clamp(cell.f[d][i], -50.0f, 50.0f);
            cell.x[d][i] += dt * cell.v[d][i];
            cell.f[d][i] = 0.0f;
        }
}

std::vector<Cell> make_cells(int n) {
    std::vector<Cell> cells(std::size_t(n) * n * n);
    for (int c = 0; c < n * n * n; ++c) {
        cells[c].atoms = 8 + c % 5;
        for (int i = 0; i < MOST; ++i) {
            const int at[3] = {c % n, c / n % n, c / n / n}, inside[3] = {i % 3, i / 3 % 3, i / 9};
            for (int d = 0; d < 3; ++d) {
                cells[c].x[d][i] = WIDTH * at[d] + 0.8f * inside[d] + 0.01f * ((c + i) % 7);
                cells[c].v[d][i] = cells[c].f[d][i] = 0.0f;
            }
        }
    }
    return cells;
}

double step(std::vector<Cell>& cells, int n) {
    double energy = 0.0;
    for (int c = 0; c < n * n * n; ++c)
        for (int k = 0; k < 27; ++k) {
            if (k == 13) continue;  // atoms of the same cell are bound
            int at[3] = {c % n + k % 3 - 1, c / n % n + k / 3 % 3 - 1, c / n / n + k / 9 - 1};
            float shift[3] = {};
            for (int d = 0; d < 3; ++d) {
                shift[d] = at[d] < 0 ? -WIDTH * n : at[d] == n ? WIDTH * n : 0.0f;
                at[d] = (at[d] + n) % n;
            }
            energy += forces_of_pair(cells[c], cells[(at[2] * n + at[1]) * n + at[0]], shift);
        }
    for (auto& cell : cells) move_cell(cell, 1e-4f);
    return energy;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    auto cells = make_cells(n);
    double energy = 0.0;
    for (int i = 0; i < 10; ++i) energy = step(cells, n);
    std::printf("%.9g\n", energy);
}
