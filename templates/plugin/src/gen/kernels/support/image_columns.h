<%= banner %>
#pragma once

#include "gen/kernels/support/gemm.h"
#include "gen/kernels/support/window.h"

namespace <%= ns %> {

// An image as the right-hand matrix of a product with the weights of a convolution: its columns are
// the pixels of the output, its rows the taps of all channels. It is never put together as a whole.
// Packs a piece of it; see Products.
template <class T>
void PackImage(const Window& window, const T* image, const Piece& piece, T* to);
<% if channels_last %>

// How far apart in memory an image's channels and its pixels are.
struct ImageSteps {
  int64_t channel;
  int64_t pixel;
};

// The same for an image whose channels need not come first.
template <class T>
void PackImage(const Window& window, const T* image, const ImageSteps& steps, const Piece& piece,
               T* to);
<% endif %>

}  // namespace <%= ns %>
