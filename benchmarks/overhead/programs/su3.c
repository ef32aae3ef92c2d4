// Lattice gauge theory: staples, smearing and the plaquette from products of 3 x 3 complex matrices of a linear algebra
// library, which the compiler cannot see into.
#include <math.h>
#include <string.h>
#include "tiny.h"

#define LIBRARY __attribute__((noipa)) static

typedef struct {
    double re, im;
} Complex;

typedef struct {
    Complex e[3][3];
} Matrix;

static int side;

LIBRARY void multiply(const Matrix* a, const Matrix* b, Matrix* c) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            Complex s = {0.0, 0.0};
            for (int k = 0; k < 3; ++k) {
                s.re += a->e[i][k].re * b->e[k][j].re - a->e[i][k].im * b->e[k][j].im;
                s.im += a->e[i][k].re * b->e[k][j].im + a->e[i][k].im * b->e[k][j].re;
            }
            c->e[i][j] = s;
        }
}

// a times the adjoint of b
LIBRARY void multiply_adjoint(const Matrix* a, const Matrix* b, Matrix* c) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            Complex s = {0.0, 0.0};
            for (int k = 0; k < 3; ++k) {
                s.re += a->e[i][k].re * b->e[j][k].re + a->e[i][k].im * b->e[j][k].im;
                s.im += a->e[i][k].im * b->e[j][k].re - a->e[i][k].re * b->e[j][k].im;
            }
            c->e[i][j] = s;
        }
}

// Rows made orthogonal and of length one (Gram-Schmidt).
LIBRARY void unitarise(Matrix* m) {
    for (int row = 0; row < 3; ++row) {
        for (int other = 0; other < row; ++other) {
            Complex d = {0.0, 0.0};
            for (int k = 0; k < 3; ++k) {
                const Complex x = m->e[row][k], y = m->e[other][k];
                d.re += x.re * y.re + x.im * y.im;
                d.im += x.im * y.re - x.re * y.im;
            }
            for (int k = 0; k < 3; ++k) {
                const Complex y = m->e[other][k];
                m->e[row][k].re -= d.re * y.re - d.im * y.im;
                m->e[row][k].im -= d.re * y.im + d.im * y.re;
            }
        }
        double length = 0.0;
        for (int k = 0; k < 3; ++k) length += m->e[row][k].re * m->e[row][k].re + m->e[row][k].im * m->e[row][k].im;
        length = 1.0 / sqrt(length);
        for (int k = 0; k < 3; ++k) {
            m->e[row][k].re *= length;
            m->e[row][k].im *= length;
        }
    }
}

// The neighbours of a site in the positive directions.
static void find_neighbours(int site, int* next) {
    for (int d = 0, stride = 1; d < 4; ++d, stride *= side)
        next[d] = site + (site / stride % side == side - 1 ? -(side - 1) * stride : stride);
}

static double smear(const Matrix* links, Matrix* out, int site) {
    int next[4];
    double trace = 0.0;
    find_neighbours(site, next);
    for (int mu = 0; mu < 4; ++mu) {
        Matrix sum = links[4 * site + mu];
        for (int nu = 0; nu < 4; ++nu) {
            if (nu == mu) continue;
            Matrix two, three, closed;
            multiply(&links[4 * site + nu], &links[4 * next[nu] + mu], &two);
            multiply_adjoint(&two, &links[4 * next[mu] + nu], &three);
            multiply_adjoint(&three, &links[4 * site + mu], &closed);
            trace += closed.e[0][0].re + closed.e[1][1].re + closed.e[2][2].re;
            for (int k = 0; k < 18; ++k) (&sum.e[0][0].re)[k] += 0.1 * (&three.e[0][0].re)[k];
        }
        unitarise(&sum);
        out[4 * site + mu] = sum;
    }
    return trace / 36.0;
}

int main(int argc, char** argv) {
    side = size_argument(argc, argv);
    const int sites = side * side * side * side;
    Matrix *links = malloc(4 * sites * sizeof(Matrix)), *out = malloc(4 * sites * sizeof(Matrix));
    for (int l = 0; l < 4 * sites; ++l) {
        for (int k = 0; k < 18; ++k) (&links[l].e[0][0].re)[k] = (k % 8 == 0) + 0.1 * ((l * 31 + k * 17) % 11 - 5);
        unitarise(&links[l]);
    }
    double plaquette = 0.0;
    for (int step = 0; step < 8; ++step) {
        plaquette = 0.0;
        for (int site = 0; site < sites; ++site) plaquette += smear(links, out, site);
        memcpy(links, out, 4 * sites * sizeof(Matrix));
    }
    printf("%.9g\n", plaquette / sites);
    return 0;
}
