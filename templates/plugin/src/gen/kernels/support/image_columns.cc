<%= banner %>
#include "gen/kernels/support/image_columns.h"

#include <cstring>

namespace <%= ns %> {
namespace {

// A position in an input plane, which may be outside of it.
struct Place {
  int64_t z;
  int64_t y;
  int64_t x;
};

bool Inside(int64_t position, const Slide& slide) {
  return position >= 0 && position < slide.input;
}

// Where the first tap falls for output pixel `index`.
Place CornerOf(const Window& window, int64_t index) {
  const int64_t row = index / window.width.output;
  return {window.depth.start(row / window.height.output),
          window.height.start(row % window.height.output),
          window.width.start(index % window.width.output)};
}

}  // namespace

template <class T>
<% if channels_last %>
void PackImage(const Window& window, const T* image, const Piece& piece, T* to) {
  PackImage(window, image, {window.input_size(), 1}, piece, to);
}

template <class T>
void PackImage(const Window& window, const T* image, const ImageSteps& steps, const Piece& piece,
               T* to) {
<% else %>
void PackImage(const Window& window, const T* image, const Piece& piece, T* to) {
<% endif %>
  const Slide& width = window.width;
  const int64_t cols = piece.j_end - piece.j;
  Place corners[kTileCols<T>];
  for (int64_t q = 0; q < cols; ++q) corners[q] = CornerOf(window, piece.j + q);
  // Do the columns lie next to each other in the input, too?
  const bool one_run = width.stride == 1 && piece.j / width.output == (piece.j_end - 1) / width.output;
  Tap tap(window, piece.p);
  for (int64_t p = piece.p; p < piece.p_end; ++p, tap.Next(window), to += kTileCols<T>) {
    const T* plane = image + tap.channel * <% if channels_last %>steps.channel<% else %>window.input_size()<% endif %>;
    const int64_t dz = tap.z * window.depth.dilation;
    const int64_t dy = tap.y * window.height.dilation;
    const int64_t dx = tap.x * width.dilation;
    const auto line = [&](const Place& corner) -> const T* {
      const int64_t z = corner.z + dz;
      const int64_t y = corner.y + dy;
      if (!Inside(z, window.depth) || !Inside(y, window.height)) return nullptr;
      return plane + (z * window.height.input + y) * width.input<% if channels_last %> * steps.pixel<% endif %>;
    };
    const int64_t first = corners[0].x + dx;
    if (one_run && first >= 0 && first + cols <= width.input) {
      const T* from = line(corners[0]);
<% if channels_last %>
      if (from != nullptr && cols == kTileCols<T> && steps.pixel == 1) {
<% else %>
      if (from != nullptr && cols == kTileCols<T>) {
<% endif %>
        std::memcpy(to, from + first, kTileCols<T> * sizeof(T));
        continue;
      }
      for (int64_t q = 0; q < cols; ++q) to[q] = from == nullptr ? T{} : from[<% if channels_last %>(first + q) * steps.pixel<% else %>first + q<% endif %>];
      continue;
    }
    for (int64_t q = 0; q < cols; ++q) {
      const T* from = line(corners[q]);
      const int64_t x = corners[q].x + dx;
      to[q] = from != nullptr && Inside(x, width) ? from[x<% if channels_last %> * steps.pixel<% endif %>] : T{};
    }
  }
}

<% for _, cpp in types %>
template void PackImage(const Window&, const <%= cpp %>*, const Piece&, <%= cpp %>*);
<% if channels_last %>
template void PackImage(const Window&, const <%= cpp %>*, const ImageSteps&, const Piece&, <%= cpp %>*);
<% endif %>
<% endfor %>

}  // namespace <%= ns %>
