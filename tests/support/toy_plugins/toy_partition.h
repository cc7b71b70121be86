/* Which nodes the compiling toy takes, and in which groups. */
#ifndef TOY_PARTITION_H
#define TOY_PARTITION_H

#include <stdbool.h>

#include "toy_program.h"

static OrtStatus* IsFloat(const OrtValueInfo* value, bool* yes) {
  const OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK(ort->GetValueInfoTypeInfo(value, &type));
  if (type != NULL) CHECK(ort->CastTypeInfoToTensorInfo(type, &tensor));
  if (tensor != NULL) CHECK(ort->GetTensorElementType(tensor, &element));
  *yes = element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  return NULL;
}

static OrtStatus* IsSupported(const OrtNode* node, char* op, bool* yes) {
  static const char* const kOps[] = {"Relu", "Add", "Mul", "Clip"};
  const char *type = NULL, *domain = NULL;
  const OrtValueInfo* inputs[MOST];
  size_t count = 0;
  int since = 0;
  *yes = false;
  CHECK(ort->Node_GetOperatorType(node, &type));
  CHECK(ort->Node_GetDomain(node, &domain));
  CHECK(ort->Node_GetSinceVersion(node, &since));
  CHECK(ort->Node_GetNumInputs(node, &count));
  if (domain[0] != '\0' || count > MOST || since < 6) return NULL;
  if (strcmp(type, "Clip") == 0 && since < 12) return NULL;
  for (size_t i = 0; i < 4; ++i) {
    if (strcmp(type, kOps[i]) == 0) *op = kOps[i][0], *yes = true;
  }
  CHECK(ort->Node_GetInputs(node, inputs, count));
  for (size_t i = 0; *yes && i < count; ++i) {
    if (inputs[i] != NULL) CHECK(IsFloat(inputs[i], yes));
  }
  return NULL;
}

/* Groups are the longest runs of supported nodes in the order of the graph: no path leaves one. */
static OrtStatus* Divide(const OrtNode* const* nodes, size_t count, OrtEpGraphSupportInfo* support) {
  const OrtNode* group[MOST];
  size_t size = 0;
  for (size_t i = 0; i <= count; ++i) {
    bool supported = false;
    char op = 0;
    if (i < count) CHECK(IsSupported(nodes[i], &op, &supported));
#ifdef FAULT_NO_MUL
    supported = supported && op != 'M';
#endif
    if (supported && size < MOST) group[size++] = nodes[i];
#ifdef FAULT_FUSE_ALL
    if (i < count) continue;
#endif
    if (!supported && size != 0) {
      CHECK(ep_api->EpGraphSupportInfo_AddNodesToFuse(support, group, size, NULL));
      size = 0;
    }
  }
  return NULL;
}

#endif
