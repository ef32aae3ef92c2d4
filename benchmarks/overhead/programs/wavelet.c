// A wavelet transform (CDF 9/7 by lifting) of the tiles of an image, as JPEG 2000 has it: functions of short lines.
#include <math.h>
#include "tiny.h"

enum { TILE = 64, LEVELS = 4 };

static const float lifting[4] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};

// Adds to every second value, from `first` on, its neighbours times a factor; the ends are mirrored.
static void lift(float* line, int n, int first, float factor) {
    for (int i = first; i < n; i += 2) {
        const float left = line[i > 0 ? i - 1 : 1], right = line[i + 1 < n ? i + 1 : n - 2];
        line[i] += factor * (left + right);
    }
}

static void split(const float* line, float* out, int n, int stride) {
    for (int i = 0; i < n / 2; ++i) {
        out[i * stride] = line[2 * i] * 1.149604398f;
        out[(n / 2 + i) * stride] = line[2 * i + 1] / 1.149604398f;
    }
}

static void transform_line(float* data, int n, int stride) {
    float line[TILE];
    for (int i = 0; i < n; ++i) line[i] = data[i * stride];
    for (int step = 0; step < 4; ++step) lift(line, n, 1 - step % 2, lifting[step]);
    split(line, data, n, stride);
}

static void transform_tile(float* tile) {
    for (int level = 0, n = TILE; level < LEVELS; ++level, n /= 2) {
        for (int row = 0; row < n; ++row) transform_line(tile + row * TILE, n, 1);
        for (int column = 0; column < n; ++column) transform_line(tile + column, n, TILE);
    }
}

static double quantise_line(float* line, float step) {
    double error = 0.0;
    for (int i = 0; i < TILE; ++i) {
        const float rounded = step * (float)(int)(line[i] / step);
        error += (line[i] - rounded) * (line[i] - rounded);
        line[i] = rounded;
    }
    return error;
}

static void paint(float* tile, int number) {
    for (int i = 0; i < TILE * TILE; ++i) tile[i] = (float)((i * 37 + number * (i / TILE) * 13) % 255);
}

int main(int argc, char** argv) {
    const int tiles = size_argument(argc, argv);
    float tile[TILE * TILE];
    double error = 0.0;
    for (int number = 0; number < tiles; ++number) {
        paint(tile, number);
        transform_tile(tile);
        for (int row = 0; row < TILE; ++row) error += quantise_line(tile + row * TILE, row < TILE / 2 ? 0.5f : 4.0f);
    }
    printf("%.9g\n", sqrt(error / tiles));
    return 0;
}
