// Image processing: heavy filters on plain rows beside a thresholding and labelling with accessors.
#include <algorithm>
#include <cmath>
#include <vector>
#include "tiny.h"

class Image {
public:
    TINY Image(int width, int height) : width_(width), height_(height), pixels_(std::size_t(width) * height) {}
    TINY int width() const { return width_; }
    TINY int height() const { return height_; }
    TINY float* row(int y) { return pixels_.data() + std::size_t(y) * width_; }
    TINY const float* row(int y) const { return pixels_.data() + std::size_t(y) * width_; }
    TINY float pixel(int x, int y) const { return row(y)[x]; }

private:
    int width_, height_;
    std::vector<float> pixels_;
};

TINY inline bool bright(float value) { return value > 0.5f; }

void paint(Image& image) {
    const int width = image.width();
    for (int y = 0; y < image.height(); ++y) {
        float* row = image.row(y);
        for (int x = 0; x < width; ++x) row[x] = 0.5f + 0.5f * std::sin(0.05f * x) * std::cos(0.07f * y);
    }
}

void blur_row(const float* in, float* out, int n, const float* weights, int radius) {
    for (int x = 0; x < n; ++x) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; ++k) sum += weights[k + radius] * in[std::min(std::max(x + k, 0), n - 1)];
        out[x] = sum;
    }
}

void blur(const Image& in, Image& out, const std::vector<float>& weights) {
    for (int y = 0; y < in.height(); ++y)
        blur_row(in.row(y), out.row(y), in.width(), weights.data(), int(weights.size()) / 2);
}

void median_row(const Image& in, Image& out, int y) {
    const float* rows[3] = {in.row(y - 1), in.row(y), in.row(y + 1)};
    float* result = out.row(y);
    for (int x = 1, end = in.width() - 1; x < end; ++x) {
        float window[9];
        for (int k = 0; k < 9; ++k) window[k] = rows[k / 3][x + k % 3 - 1];
        for (int i = 0; i < 5; ++i)
            for (int j = i + 1; j < 9; ++j)
                if (window[j] < window[i]) std::swap(window[i], window[j]);
        result[x] = window[4];
    }
}

void sharpen(Image& image, const Image& blurred) {
    for (int y = 0; y < image.height(); ++y) {
        float* row = image.row(y);
        const float* soft = blurred.row(y);
        for (int x = 0, end = image.width(); x < end; ++x) row[x] = std::pow(std::fabs(2.0f * row[x] - soft[x]), 0.9f);
    }
}

int count_bright(const Image& image, int every) {
    int count = 0;
    for (int y = 0; y < image.height(); y += every)
        for (int x = 0; x < image.width(); x += every) count += bright(image.pixel(x, y));
    return count;
}

int main(int argc, char** argv) {
    const int n = 16 * size_argument(argc, argv);
    Image image(n, n), soft(n, n);
    paint(image);
    const std::vector<float> weights(15, 1.0f / 15.0f);
    int count = 0;
    for (int pass = 0; pass < 6; ++pass) {
        blur(image, soft, weights);
        for (int y = 1; y < n - 1; ++y) median_row(soft, image, y);
        sharpen(image, soft);
        count += count_bright(image, 4);
    }
    std::printf("%d %.9g\n", count, image.pixel(n / 2, n / 3));
}
