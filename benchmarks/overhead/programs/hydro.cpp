// Lagrangian hydrodynamics on a square mesh: structure of arrays behind accessors, as LULESH has them.
#include <cmath>
#include <vector>
#include "tiny.h"

class Mesh {
public:
    explicit Mesh(int n);
    TINY int elements() const { return n_ * n_; }
    TINY int nodes() const { return (n_ + 1) * (n_ + 1); }
    TINY int corner(int e, int k) const { return corners_[4 * e + k]; }
    TINY double& x(int i) { return x_[i]; }
    TINY double& y(int i) { return y_[i]; }
    TINY double& vx(int i) { return vx_[i]; }
    TINY double& vy(int i) { return vy_[i]; }
    TINY double& fx(int i) { return fx_[i]; }
    TINY double& fy(int i) { return fy_[i]; }
    TINY double& mass(int i) { return mass_[i]; }
    TINY double& energy(int e) { return energy_[e]; }
    TINY double& pressure(int e) { return pressure_[e]; }
    TINY double& viscosity(int e) { return viscosity_[e]; }
    TINY double& area(int e) { return area_[e]; }
    TINY bool fixed(int i) const { return i % (n_ + 1) == 0 || i % (n_ + 1) == n_ || i <= n_ || i >= n_ * (n_ + 1); }

private:
    int n_;
    std::vector<int> corners_;
    std::vector<double> x_, y_, vx_, vy_, fx_, fy_, mass_, energy_, pressure_, viscosity_, area_;
};

TINY inline double square(double a) { return a * a; }

TINY inline double quad_area(const double* x, const double* y) {
    return 0.5 * ((x[2] - x[0]) * (y[3] - y[1]) - (x[3] - x[1]) * (y[2] - y[0]));
}

Mesh::Mesh(int n) : n_(n), corners_(4 * n * n) {
    for (auto* a : {&x_, &y_, &vx_, &vy_, &fx_, &fy_, &mass_}) a->assign(nodes(), 0.0);
    for (auto* a : {&energy_, &pressure_, &viscosity_, &area_}) a->assign(elements(), 0.0);
    for (int i = 0; i < nodes(); ++i) {
        x(i) = double(i % (n + 1)) / n;
        y(i) = double(i / (n + 1)) / n;
    }
    for (int e = 0; e < elements(); ++e) {
        const int low = e / n * (n + 1) + e % n;
        const int at[4] = {low, low + 1, low + n + 2, low + n + 1};
        for (int k = 0; k < 4; ++k) {
            corners_[4 * e + k] = at[k];
            mass(at[k]) += 0.25 / (n * n);
        }
        area(e) = 1.0 / (n * n);
        energy(e) = square(x(low) - 0.5) + square(y(low) - 0.5) < 0.01 ? 10.0 : 0.1;
    }
}

TINY void gather(Mesh& m, int e, double* x, double* y) {
    for (int k = 0; k < 4; ++k) {
        x[k] = m.x(m.corner(e, k));
        y[k] = m.y(m.corner(e, k));
    }
}

void calc_pressure(Mesh& m) {
    for (int e = 0; e < m.elements(); ++e) {
        const double density = 1.0 / (m.area(e) * m.elements());
        m.pressure(e) = 0.4 * density * std::max(m.energy(e), 0.0) + m.viscosity(e);
    }
}

void calc_forces(Mesh& m) {
    for (int i = 0; i < m.nodes(); ++i) m.fx(i) = m.fy(i) = 0.0;
    double x[4], y[4];
    for (int e = 0; e < m.elements(); ++e) {
        gather(m, e, x, y);
        for (int k = 0; k < 4; ++k) {
            const int before = (k + 3) % 4, after = (k + 1) % 4;
            m.fx(m.corner(e, k)) += 0.5 * m.pressure(e) * (y[after] - y[before]);
            m.fy(m.corner(e, k)) -= 0.5 * m.pressure(e) * (x[after] - x[before]);
        }
    }
}

void move_nodes(Mesh& m, double dt) {
    for (int i = 0; i < m.nodes(); ++i) {
        if (m.fixed(i)) continue;
        m.vx(i) += dt * m.fx(i) / m.mass(i);
        m.vy(i) += dt * m.fy(i) / m.mass(i);
        m.x(i) += dt * m.vx(i);
        m.y(i) += dt * m.vy(i);
    }
}

void update_energy(Mesh& m) {
    double x[4], y[4];
    for (int e = 0; e < m.elements(); ++e) {
        gather(m, e, x, y);
        const double area = quad_area(x, y), change = area - m.area(e);
        m.energy(e) -= m.pressure(e) * change * m.elements();
        m.viscosity(e) = change < 0.0 ? 2.0 * square(change / area) + 0.1 * std::sqrt(-change / area) : 0.0;
        m.area(e) = area;
    }
}

int main(int argc, char** argv) {
    Mesh mesh(size_argument(argc, argv));
    for (int step = 0; step < 30; ++step) {
        calc_pressure(mesh);
        calc_forces(mesh);
        move_nodes(mesh, 1e-4);
        update_energy(mesh);
    }
    double sum = 0.0;
    for (int e = 0; e < mesh.elements(); ++e) sum += mesh.energy(e);
    std::printf("%.12g\n", sum);
}
