<%= banner %>
#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sample {

// A type of tensors' elements.
struct ElementType {
  ONNXTensorElementDataType onnx;
  const char* name;
  const char* npy;  // as .npy files call it; types that numpy does not know are raw bytes there
  size_t size;      // in bytes
};

// Null for types without elements of whole bytes: strings, and numbers of fewer than eight bits.
const ElementType* FindElementType(ONNXTensorElementDataType onnx);

// `count` elements that depend on nothing but their places and `seed`: small numbers of both signs
// where there are signs, no negative integers, as these are often indices.
void FillPattern(const ElementType& type, size_t count, int seed, char* to);

// One element as people write it.
std::string ElementText(const ElementType& type, const char* element);

// How many elements a tensor has. Throws Failure when they are more than can be addressed.
size_t CountElements(const int64_t* sizes, size_t rank);

// [2, 3]
std::string ShapeText(const int64_t* sizes, size_t rank);

}  // namespace sample
