<%= banner %>
#pragma once

#include <cstdint>

namespace <%= ns %> {

// Numbers that look random: a function of a seed and a position, so that every thread can draw its
// own and the result does not depend on how many there are. It is Philox4x32-10 (Salmon et al.,
// "Parallel Random Numbers: As Easy as 1, 2, 3", 2011).
class Random {
 public:
  // With the attribute `seed` of a node, the same numbers at every call; without one, others.
  Random(float seed, bool has_seed);

  // A number from 0 up to 1, without 1.
  double Uniform(int64_t position) const;

  // A number of the normal distribution of mean 0 and standard deviation 1.
  double Normal(int64_t position) const;

 private:
  struct Block {
    uint64_t a;
    uint64_t b;
  };

  Block At(int64_t position) const;

  uint64_t key_;
};

}  // namespace <%= ns %>
