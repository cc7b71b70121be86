<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/kernels/support/window.h"

namespace <%= ns %> {

// The reverse of what a convolution does to see its input as a matrix. `columns` has, for each of
// the `planes` and for each tap of the window, a row with one element per pixel of the output. Each
// is added to the pixel of the window's input that the tap falls on; those in the padding are lost.
template <class T>
void AddColumns(const Window& window, const T* columns, int64_t planes, T* image, Exec& exec);

}  // namespace <%= ns %>
