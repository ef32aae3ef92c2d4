// Stiff kinetics in every cell: implicit Euler steps of five species, rates of the reactions as std::function.
#include <array>
#include <cmath>
#include <functional>
#include <vector>
#include "tiny.h"

constexpr int SPECIES = 5;
using State = std::array<double, SPECIES>;
using Jacobian = std::array<State, SPECIES>;

struct Reaction {
    int from, with, to;
    std::function<double(double)> coefficient;  // of temperature
};

std::vector<Reaction> make_mechanism() {
    const auto arrhenius = [](double a, double b, double e) {
        return [=](double t) { return a * std::pow(t / 300.0, b) * std::exp(-e / t); };
    };
    const auto falloff = [](double a, double e, double low) {
        return [=](double t) {
            const double high = a * std::exp(-e / t), ratio = low / high;
            return high * ratio / (1.0 + ratio) * std::pow(0.6, 1.0 / (1.0 + std::log(ratio) * std::log(ratio)));
        };
    };
    return {{0, 1, 2, arrhenius(40.0, 0.5, 900.0)}, {2, 2, 3, arrhenius(3e3, -0.3, 1500.0)}, {3, 1, 4, falloff(50.0, 700.0, 9.0)},
            {4, 0, 1, arrhenius(2.0, 0.0, 1200.0)}, {2, 4, 0, falloff(8.0, 300.0, 2.0)},     {3, 4, 2, arrhenius(9.0, 1.0, 400.0)}};
}

void rates(const std::vector<Reaction>& mechanism, const State& c, const std::vector<double>& k, State& f, Jacobian& j) {
    f = {};
    j = {};
    for (std::size_t r = 0; r < mechanism.size(); ++r) {
        const Reaction& reaction = mechanism[r];
        const double by_from = k[r] * c[reaction.with], by_with = k[r] * c[reaction.from], rate = by_from * c[reaction.from];
        const int touched[3] = {reaction.from, reaction.with, reaction.to};
        for (int t = 0; t < 3; ++t) {
            const double sign = t < 2 ? -1.0 : 2.0;
            f[touched[t]] += sign * rate;
            j[touched[t]][reaction.from] += sign * by_from;
            j[touched[t]][reaction.with] += sign * by_with;
        }
    }
}

// Gauss elimination without pivots: the matrix is close to the unit matrix.
void solve(Jacobian& a, State& b) {
    for (int k = 0; k < SPECIES; ++k)
        for (int i = k + 1; i < SPECIES; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < SPECIES; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = SPECIES - 1; k >= 0; --k) {
        for (int j = k + 1; j < SPECIES; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

int advance_cell(const std::vector<Reaction>& mechanism, State& c, double temperature, double dt) {
    std::vector<double> k;
    for (const auto& reaction : mechanism) k.push_back(reaction.coefficient(temperature));
    const State old = c;
    for (int newton = 1;; ++newton) {
        State f;
        Jacobian j;
        rates(mechanism, c, k, f, j);
        double change = 0.0;
        for (int i = 0; i < SPECIES; ++i) {
            f[i] = old[i] - c[i] + dt * f[i];
            for (int m = 0; m < SPECIES; ++m) j[i][m] = double(i == m) - dt * j[i][m];
        }
        solve(j, f);
        for (int i = 0; i < SPECIES; ++i) {
            c[i] += f[i];
            change = std::fmax(change, std::fabs(f[i]));
        }
        if (change < 1e-9 || newton == 12) return newton;
    }
}

int main(int argc, char** argv) {
    const int cells = 100 * size_argument(argc, argv);
    const auto mechanism = make_mechanism();
    std::vector<State> state(cells, State{1.0, 0.8, 0.1, 0.05, 0.02});
    long iterations = 0;
    for (int step = 0; step < 20; ++step)
        for (int i = 0; i < cells; ++i) iterations += advance_cell(mechanism, state[i], 700.0 + i % 900, 0.02);
    double sum = 0.0;
    for (const auto& c : state) sum += c[2] + 2.0 * c[3];
    std::printf("%ld %.10g\n", iterations, sum);
}
