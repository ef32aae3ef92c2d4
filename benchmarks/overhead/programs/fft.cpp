// A convolution by recursive Fourier transforms of std::complex numbers in buffers with an accessor.
#include <cmath>
#include <complex>
#include <vector>
#include "tiny.h"

using Complex = std::complex<double>;
constexpr int SHORT = 32;

class Signal {
public:
    TINY explicit Signal(int n) : values_(n) {}
    TINY Signal(const Signal& other) = default;
    TINY ~Signal() {}
    TINY Complex& operator[](int i) { return values_[i]; }
    TINY const Complex& operator[](int i) const { return values_[i]; }
    TINY int size() const { return int(values_.size()); }

private:
    std::vector<Complex> values_;
};

TINY inline Complex turn(int k, int n, int sign) { return std::polar(1.0, sign * 2.0 * M_PI * k / n); }

Signal make_twiddles(int n, int sign) {
    Signal twiddles(n / 2);
    for (int k = 0; k < n / 2; ++k) twiddles[k] = turn(k, n, sign);
    return twiddles;
}

// The transform of a short signal by its definition.
TINY void transform_short(Signal& signal, const Signal& twiddles) {
    const Signal in = signal;
    const int n = in.size(), stride = 2 * twiddles.size() / n;
    for (int k = 0; k < n; ++k) {
        Complex sum = 0.0;
        for (int i = 0; i < n; ++i) {
            const int turn = k * i % n;
            sum += in[i] * (turn < n / 2 ? twiddles[turn * stride] : -twiddles[(turn - n / 2) * stride]);
        }
        signal[k] = sum;
    }
}

void butterflies(Signal& out, const Signal& even, const Signal& odd, const Signal& twiddles) {
    const int half = even.size(), stride = twiddles.size() / half;
    for (int k = 0; k < half; ++k) {
        const Complex t = twiddles[k * stride] * odd[k];
        out[k] = even[k] + t;
        out[k + half] = even[k] - t;
    }
}

void transform(Signal& signal, const Signal& twiddles) {
    const int n = signal.size();
    if (n <= SHORT) return transform_short(signal, twiddles);
    Signal even(n / 2), odd(n / 2);
    for (int k = 0; k < n / 2; ++k) {
        even[k] = signal[2 * k];
        odd[k] = signal[2 * k + 1];
    }
    transform(even, twiddles);
    transform(odd, twiddles);
    butterflies(signal, even, odd, twiddles);
}

void multiply(Signal& a, const Signal& b) {
    for (int i = 0; i < a.size(); ++i) a[i] = a[i] * b[i] / double(a.size());
}

int main(int argc, char** argv) {
    const int n = 1 << size_argument(argc, argv);
    Signal a(n), b(n);
    for (int i = 0; i < n; ++i) {
        a[i] = Complex(std::sin(0.01 * i), 0.0);
        b[i] = Complex(i < 8 ? 0.125 : 0.0, 0.0);
    }
    const Signal forward = make_twiddles(n, -1), backward = make_twiddles(n, 1);
    transform(a, forward);
    transform(b, forward);
    multiply(a, b);
    transform(a, backward);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += std::abs(a[i]);
    std::printf("%.12g\n", sum);
}
