<%= banner %>
#pragma once

#include <cstdint>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/kernels/support/head_rows.h"

// Keys and values that are kept from one call to the next. Of the tokens that a query may see the
// first are in the cache already; the others come with the call, behind which there may be padding.
namespace <%= ns %> {

// How far a batch is.
struct Extent {
  int64_t old = 0;    // tokens before the call
  int64_t fresh = 0;  // those of the call
  int64_t gone = 0;   // those before the call that are no longer in the cache

  int64_t all() const { return old + fresh; }
  int64_t held() const { return old - gone; }
  int64_t keys() const { return held() + fresh; }
};

// The tokens of a call.
struct Tokens {
  int64_t rows = 0;   // for each batch, with padding
  int64_t depth = 0;  // elements of a head
  std::vector<Extent> extents;  // of the batches

  int64_t batches() const { return static_cast<int64_t>(extents.size()); }
  const Extent& extent(int64_t batch) const { return extents[static_cast<size_t>(batch)]; }
};

// Turns rows by angles that depend on the token's position: RotatePairs, for tables that have a row
// per position.
struct Rotation {
  const float* cosines = nullptr;  // null: rows are not turned
  const float* sines = nullptr;
  int64_t known = 0;   // rows of the tables
  int64_t angles = 0;  // columns of the tables
  bool interleaved = false;
  const int64_t* positions = nullptr;  // of all rows, with padding; null: tokens are counted
  bool first_alone = false;            // only the first of the positions says something

  int64_t Position(const Tokens& tokens, int64_t batch, int64_t row) const;

  // Fails where a token's position is not in the tables.
  Status Check(const Tokens& tokens) const;
};

// What happens to a row of queries or keys before they meet: it is brought to unit length, then
// turned. A row that nothing happens to is taken as it is.
struct Preparation {
  const float* norm = nullptr;  // what the elements are multiplied by after; null: the length stays
  float epsilon = 0.0f;
  Rotation rotation;

  bool any() const { return norm != nullptr || rotation.cosines != nullptr; }
  void Run(const Tokens& tokens, int64_t batch, int64_t row, const float* from, float* to) const;
};

// A cache: (batch, head, row, element).
struct KvCache {
  int64_t heads = 0;
  int64_t past = 0;      // rows of the old one
  int64_t capacity = 0;  // rows of the new one
  int64_t window = 0;    // 0, or the cache slides: it holds the last tokens, this many at least

  // How many of the last of `tokens` tokens a sliding cache holds. When it is full it makes room for
  // as many as it can without losing one of the window.
  int64_t Held(int64_t tokens) const;
};

// Puts the tokens of the call behind those in the cache, and changes `rows` to where all of them
// are. Old tokens stay where they are when the old cache and the new one are one. `past` and
// `present` may be null.
Status Remember(const Tokens& tokens, const KvCache& cache, const Preparation& preparation, const float* past,
                float* present, HeadRows* rows, Exec& exec);

// Prepares the rows of queries, and changes `rows` to where the result is.
Status PrepareQueries(const Tokens& tokens, int64_t heads, const Preparation& preparation, HeadRows* rows, Exec& exec);

}  // namespace <%= ns %>
