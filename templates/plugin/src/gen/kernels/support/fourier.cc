<%= banner %>
#include "gen/kernels/support/fourier.h"

#include "gen/kernels/support/math.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kMostPoints = int64_t{1} << 40;
constexpr int64_t kMostPieces = 32;

// exp(-2 pi i * part / whole)
Complex Root(int64_t part, int64_t whole) {
  const double angle = 2 * kPi * (static_cast<double>(part) / static_cast<double>(whole));
  return {Cos(angle), -Sin(angle)};
}

Complex Times(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// The least power of two that the transform can be computed with.
int64_t LengthFor(int64_t points) {
  int64_t length = 1;
  while (length < points && length < kMostPoints) length *= 2;
  return length <= points ? length : 2 * length;
}

}  // namespace

Fourier::Fourier(int64_t points) : points_(points), length_(LengthFor(points)) {}

Status Fourier::Prepare(Exec& exec, int64_t lines) {
  if (points_ > kMostPoints) return InvalidArgument("a transform of too many points");
  const bool chirped = length_ != points_;
  lines_ = lines;
  pieces_ = lines < kMostPieces ? lines : kMostPieces;
  if (pieces_ == 0) pieces_ = 1;
  const int64_t tables = length_ / 2 + (chirped ? points_ + length_ : 0);
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(tables + pieces_ * length_) * sizeof(Complex), &memory));
  roots_ = static_cast<Complex*>(memory);
  for (int64_t i = 0; i < length_ / 2; ++i) roots_[i] = Root(i, length_);
  work_ = roots_ + tables;
  if (!chirped) return Status();
  chirp_ = roots_ + length_ / 2;
  spectrum_ = chirp_ + points_;
  // chirp[j] = exp(-pi i * j * j / points); the square is counted modulo 2 * points.
  int64_t square = 0;
  for (int64_t j = 0; j < points_; ++j) {
    chirp_[j] = Root(square, 2 * points_);
    square = (square + 2 * j + 1) % (2 * points_);
  }
  for (int64_t j = 0; j < length_; ++j) spectrum_[j] = {0, 0};
  const double scale = 1 / static_cast<double>(length_);
  for (int64_t j = 0; j < points_; ++j) {
    const Complex conjugate{chirp_[j].re * scale, -chirp_[j].im * scale};
    spectrum_[j] = conjugate;
    if (j > 0) spectrum_[length_ - j] = conjugate;
  }
  Halve(spectrum_);
  return Status();
}

void Fourier::Transform(Complex* x) const {
  if (length_ == points_) return Halve(x);
  for (int64_t j = 0; j < points_; ++j) x[j] = Times(x[j], chirp_[j]);
  for (int64_t j = points_; j < length_; ++j) x[j] = {0, 0};
  Halve(x);
  // Back by the same transform: the parts are exchanged before it, and after it.
  for (int64_t j = 0; j < length_; ++j) {
    const Complex product = Times(x[j], spectrum_[j]);
    x[j] = {product.im, product.re};
  }
  Halve(x);
  for (int64_t j = 0; j < points_; ++j) x[j] = Times({x[j].im, x[j].re}, chirp_[j]);
}

// In place, of length_ points.
void Fourier::Halve(Complex* x) const {
  // Position i goes to where the bits of i are in reverse.
  for (int64_t i = 1, reversed = 0; i < length_; ++i) {
    int64_t bit = length_ / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) {
      const Complex other = x[i];
      x[i] = x[reversed];
      x[reversed] = other;
    }
  }
  for (int64_t half = 1; half < length_; half *= 2) {
    const int64_t step = length_ / (2 * half);
    for (int64_t start = 0; start < length_; start += 2 * half) {
      for (int64_t i = start; i < start + half; ++i) {
        const Complex a = x[i];
        const Complex b = Times(x[i + half], roots_[(i - start) * step]);
        x[i] = {a.re + b.re, a.im + b.im};
        x[i + half] = {a.re - b.re, a.im - b.im};
      }
    }
  }
}

}  // namespace <%= ns %>
