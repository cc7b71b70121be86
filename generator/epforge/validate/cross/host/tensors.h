// Tensors in files.
//
// A file has their number (uint32), then of each: its name (uint32 and so many bytes), its
// element type as ONNX numbers them (uint32), its rank (uint32), its sizes (int64), and how many
// bytes (of strings: how many elements) follow (uint64). Little-endian.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_TENSORS_H_
#define EPFORGE_VALIDATE_CROSS_HOST_TENSORS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "runtime.h"

struct Tensor {
  std::string name;
  std::vector<std::max_align_t> bytes;  // of the value, which does not own them
  Owned<OrtValue> value = Own<OrtValue>(nullptr, ort->ReleaseValue);
};

// The tensors of a file. Throws if it is not whole.
std::vector<Tensor> ReadTensors(const std::string& path);

// Writes values under their names. Throws if one is no tensor.
void WriteTensors(const std::string& path, const std::vector<std::string>& names,
                  const std::vector<OrtValue*>& values);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_TENSORS_H_
