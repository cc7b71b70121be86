<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"

namespace <%= ns %> {

struct Complex {
  double re;
  double im;
};

// The discrete Fourier transform of lines of `points` numbers, in O(n log n) for every n: by halving
// where n is a power of two, else as a convolution of such a length (Bluestein's algorithm).
//
// The inverse is the same transform with real and imaginary parts exchanged before and after it,
// divided by n.
class Fourier {
 public:
  explicit Fourier(int64_t points);

  // Makes the tables, and working memory for `lines` lines.
  Status Prepare(Exec& exec, int64_t lines);

  // For every line, possibly several at once: load(line, work) writes its points, store(line, work)
  // takes as many results.
  template <class Load, class Store>
  void Run(Exec& exec, Load load, Store store) const {
    ParallelFor(exec, pieces_, lines_ / pieces_ * 100 * length_, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        Complex* work = work_ + piece * length_;
        for (int64_t line = piece; line < lines_; line += pieces_) {
          load(line, work);
          Transform(work);
          store(line, work);
        }
      }
    });
  }

 private:
  void Transform(Complex* x) const;
  void Halve(Complex* x) const;

  int64_t points_;
  int64_t length_;  // a power of two: that of the transforms by halving
  int64_t lines_ = 0;
  int64_t pieces_ = 1;            // of the lines, that may be worked on at once
  Complex* roots_ = nullptr;      // the first half of the roots of unity of order length_
  Complex* chirp_ = nullptr;      // if the points are not a power of two
  Complex* spectrum_ = nullptr;   // of the chirp's conjugate, divided by length_
  Complex* work_ = nullptr;
};

}  // namespace <%= ns %>
