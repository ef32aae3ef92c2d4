// Symmetric Gauss-Seidel for 27 points a row: every row is a call of the kernel that its format points to.
#include <math.h>
#include "tiny.h"

typedef struct {
    int entries;
    const int* column;
    const double* value;
} Row;

typedef double (*Kernel)(const Row*, const double*);

static double full_row(const Row* row, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < 27; ++i) sum += row->value[i] * x[row->column[i]];
    return sum;
}

static double short_row(const Row* row, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < row->entries; ++i) sum += row->value[i] * x[row->column[i]];
    return sum;
}

static void fill_row(Row* row, int n, int at, int* column, double* value) {
    row->column = column;
    row->value = value;
    for (int c = 0; c < 27; ++c) {
        const int x = at % n + c % 3 - 1, y = at / n % n + c / 3 % 3 - 1, z = at / n / n + c / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) continue;
        column[row->entries] = (z * n + y) * n + x;
        value[row->entries++] = c == 13 ? 26.5 : -1.0;
    }
}

static void sweep(const Row* rows, const Kernel* kernel, int n, const double* b, double* x) {
    for (int i = 0; i < n; ++i) x[i] += (b[i] - kernel[i](&rows[i], x)) / 26.5;
    for (int i = n - 1; i >= 0; --i) x[i] += (b[i] - kernel[i](&rows[i], x)) / 26.5;
}

static double residual(const Row* rows, const Kernel* kernel, int n, const double* b, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double r = b[i] - kernel[i](&rows[i], x);
        sum += r * r;
    }
    return sqrt(sum);
}

int main(int argc, char** argv) {
    const int side = size_argument(argc, argv), n = side * side * side;
    Row* rows = calloc(n, sizeof(Row));
    Kernel* kernel = malloc(n * sizeof(Kernel));
    int* column = malloc(27 * n * sizeof(int));
    double *value = malloc(27 * n * sizeof(double)), *b = malloc(n * sizeof(double)), *x = calloc(n, sizeof(double));
    for (int i = 0; i < n; ++i) {
        fill_row(&rows[i], side, i, column + 27 * i, value + 27 * i);
        kernel[i] = rows[i].entries == 27 ? full_row : short_row;
        b[i] = 1.0 + i % 3;
    }
    double left = 0.0;
    for (int i = 0; i < 20; ++i) {
        sweep(rows, kernel, n, b, x);
        left = residual(rows, kernel, n, b, x);
    }
    printf("%.9g\n", left);
    return 0;
}
