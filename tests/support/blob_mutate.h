// Spoils compiled data, the same way every time: what comes of a seed is always the same. PROJECT
// is the project's namespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/graph/blob.h"

namespace fuzz {

using Bytes = std::vector<unsigned char>;

// Random numbers (splitmix64).
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t mixed = state_ += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
  }
  // Less than `count`; 0 for 0.
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(Next() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  template <class T>
  const T& Of(const std::vector<T>& items) {
    return items[Below(items.size())];
  }
  // A number that is likely to be on some edge.
  int64_t Number();

 private:
  uint64_t state_;
};

// Makes all checksums right again that the blob has room for, whatever else is wrong with it.
void Seal(Bytes* blob);

// A copy with some bytes changed, moved, added or taken away; `others` lend theirs. Sealed or not.
Bytes SpoilBytes(const Bytes& blob, const std::vector<Bytes>& others, bool sealed, Chance* chance);

// A copy whose bytes are in order, but whose programs make no sense.
Bytes SpoilPrograms(const PROJECT::BlobContent& content, Chance* chance);

}  // namespace fuzz
