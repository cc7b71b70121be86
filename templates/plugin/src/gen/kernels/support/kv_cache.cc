<%= banner %>
#include "gen/kernels/support/kv_cache.h"

#include <cstddef>
#include <cstring>

#include "gen/kernels/support/math.h"
#include "gen/kernels/support/rotary.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

void Copy(const float* from, int64_t count, float* to) {
  if (count > 0) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}

void Clear(float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = 0.0f;
}

Status Reserve(int64_t elements, Exec& exec, float** memory) {
  void* raw = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(elements) * sizeof(float), &raw));
  *memory = static_cast<float*>(raw);
  return Status();
}

}  // namespace

int64_t Rotation::Position(const Tokens& tokens, int64_t batch, int64_t row) const {
  if (positions == nullptr) return tokens.extent(batch).old + row;
  if (!first_alone) return positions[batch * tokens.rows + row];
  return positions[0] < known ? positions[0] + row : -1;
}

Status Rotation::Check(const Tokens& tokens) const {
  for (int64_t batch = 0; cosines != nullptr && batch < tokens.batches(); ++batch) {
    for (int64_t row = 0; row < tokens.extent(batch).fresh; ++row) {
      const int64_t position = Position(tokens, batch, row);
      if (position < 0 || position >= known) {
        return InvalidArgument(Text() << "position " << position << " is out of range for caches of " << known << " rows");
      }
    }
  }
  return Status();
}

void Preparation::Run(const Tokens& tokens, int64_t batch, int64_t row, const float* from, float* to) const {
  const int64_t depth = tokens.depth;
  if (norm == nullptr) {
    Copy(from, depth, to);
  } else {
    double squares = 0;
    for (int64_t i = 0; i < depth; ++i) squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
    const double factor = 1 / Sqrt(squares / static_cast<double>(depth) + static_cast<double>(epsilon));
    for (int64_t i = 0; i < depth; ++i) to[i] = static_cast<float>(static_cast<double>(from[i]) * factor) * norm[i];
  }
  if (rotation.cosines == nullptr) return;
  const int64_t first = rotation.Position(tokens, batch, row) * rotation.angles;
  RotatePairs(to, rotation.cosines + first, rotation.sines + first, rotation.angles, rotation.interleaved, to);
}

int64_t KvCache::Held(int64_t tokens) const {
  if (tokens <= past) return tokens;
  const int64_t room = past - window + 1;
  return tokens - (tokens - past + room - 1) / room * room;
}

Status Remember(const Tokens& tokens, const KvCache& cache, const Preparation& preparation, const float* past,
                float* present, HeadRows* rows, Exec& exec) {
  const bool slides = cache.window > 0;
  const int64_t depth = tokens.depth;
  // A sliding cache may lose tokens that the call still needs: all of them meet elsewhere first.
  const int64_t head = (slides ? cache.past + tokens.rows : cache.capacity) * depth;
  float* all = slides ? nullptr : present;
  if (all == nullptr) EP_RETURN_IF_ERROR(Reserve(tokens.batches() * cache.heads * head, exec, &all));
  const HeadRows fresh = *rows;
  ParallelFor(exec, tokens.batches() * cache.heads, head, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t batch = n / cache.heads;
      const Extent& extent = tokens.extent(batch);
      float* to = all + n * head;
      if (past != all) {
        Copy(past + n * cache.past * depth, extent.held() * depth, to);
        Clear(to + extent.keys() * depth, head - extent.keys() * depth);
      }
      to += extent.held() * depth;
      const RowMatrix<const float> from = fresh.matrix(batch, n % cache.heads);
      for (int64_t row = 0; row < extent.fresh; ++row, to += depth) {
        preparation.Run(tokens, batch, row, from.row(row), to);
      }
      if (!slides || present == nullptr) continue;
      const int64_t kept = cache.Held(extent.all()) * depth;
      float* last = present + n * cache.past * depth;
      Copy(all + n * head + extent.keys() * depth - kept, kept, last);
      Clear(last + kept, cache.past * depth - kept);
    }
  });
  *rows = HeadsOutside(all, cache.heads, head / depth, depth);
  return Status();
}

Status PrepareQueries(const Tokens& tokens, int64_t heads, const Preparation& preparation, HeadRows* rows, Exec& exec) {
  const HeadRows fresh = *rows;
  const int64_t head = tokens.rows * tokens.depth;
  float* memory = nullptr;
  EP_RETURN_IF_ERROR(Reserve(tokens.batches() * heads * head, exec, &memory));
  ParallelFor(exec, tokens.batches() * heads, 4 * head, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t batch = n / heads;
      const int64_t tokens_here = tokens.extent(batch).fresh;
      const RowMatrix<const float> from = fresh.matrix(batch, n % heads);
      float* to = memory + n * head;
      for (int64_t row = 0; row < tokens_here; ++row, to += tokens.depth) {
        preparation.Run(tokens, batch, row, from.row(row), to);
      }
      Clear(to, (tokens.rows - tokens_here) * tokens.depth);  // padding
    }
  });
  *rows = HeadsOutside(memory, heads, tokens.rows, tokens.depth);
  return Status();
}

}  // namespace <%= ns %>
