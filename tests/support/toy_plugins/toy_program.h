/* What the compiling toy makes of a group of nodes: a list of steps, as plain bytes. */
#ifndef TOY_PROGRAM_H
#define TOY_PROGRAM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

#define TOY_LEVEL 24
#define EP_NAME "ToyExecutionProvider"
#define MOST 64
#define NAME_SIZE 200
#define NOWHERE 0xFF
#define CHECK(call)                      \
  do {                                   \
    OrtStatus* status_ = (call);         \
    if (status_ != NULL) return status_; \
  } while (0)

static const OrtApi* ort;
static const OrtEpApi* ep_api;

typedef struct {
  char op; /* 'R'elu, 'A'dd, 'M'ul or 'C'lip */
  unsigned char in[3];
  unsigned char out;
} Step;

/* Values are numbered, the inputs first. */
typedef struct {
  unsigned char inputs, outputs, values, steps;
  unsigned char result[MOST];
  Step step[MOST];
} Program;

typedef struct {
  int64_t dims[8];
  size_t rank, size;
  float* data;
  int owned;
} Value;

static OrtStatus* Fail(const char* text) { return ort->CreateStatus(ORT_FAIL, text); }

static OrtStatus* ReadValue(const OrtValue* from, Value* to) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  if (from == NULL) return Fail("an input is missing");
  CHECK(ort->GetTensorTypeAndShape(from, &info));
  OrtStatus* status = ort->GetDimensionsCount(info, &to->rank);
  if (status == NULL) status = ort->GetDimensions(info, to->dims, to->rank);
  if (status == NULL) status = ort->GetTensorShapeElementCount(info, &to->size);
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (status != NULL) return status;
  return ort->GetTensorMutableData((OrtValue*)from, (void**)&to->data);
}

static size_t Offset(const Value* of, const Value* out, size_t flat) {
  size_t offset = 0, stride = 1;
  for (size_t i = 0; i < out->rank; ++i) {
    const size_t axis = out->rank - 1 - i;
    const size_t at = flat % (size_t)out->dims[axis];
    flat /= (size_t)out->dims[axis];
    if (i < of->rank) {
      const size_t dim = (size_t)of->dims[of->rank - 1 - i];
      offset += (dim == 1 ? 0 : at) * stride;
      stride *= dim;
    }
  }
  return offset;
}

static void RunStep(const Step* step, Value* values) {
  const Value* x = &values[step->in[0]];
  const Value* y = step->op == 'A' || step->op == 'M' ? &values[step->in[1]] : x;
  Value* out = &values[step->out];
  out->rank = x->rank > y->rank ? x->rank : y->rank;
  out->size = 1;
  for (size_t i = 0; i < out->rank; ++i) {
    int64_t dim = 1;
    if (i < x->rank && x->dims[x->rank - 1 - i] != 1) dim = x->dims[x->rank - 1 - i];
    if (i < y->rank && y->dims[y->rank - 1 - i] != 1) dim = y->dims[y->rank - 1 - i];
    out->dims[out->rank - 1 - i] = dim;
    out->size *= (size_t)dim;
  }
#ifdef FAULT_IN_PLACE
  out->owned = x->size != out->size;
  out->data = out->owned ? calloc(out->size + 1, sizeof(float)) : x->data;
#else
  out->owned = 1;
  out->data = calloc(out->size + 1, sizeof(float));
#endif
  const Value* low = step->op == 'C' && step->in[1] != NOWHERE ? &values[step->in[1]] : NULL;
  const Value* high = step->op == 'C' && step->in[2] != NOWHERE ? &values[step->in[2]] : NULL;
  for (size_t i = 0; i < out->size; ++i) {
    const float a = x->data[Offset(x, out, i)];
    const float b = y->data[Offset(y, out, i)];
    float z = step->op == 'A' ? a + b : step->op == 'M' ? a * b : a;
    if (step->op == 'R' && a < 0.0F) z = 0.0F;
#ifdef FAULT_ABSENT
    if (step->op == 'C') z = fmaxf(z, *low->data);
#endif
    if (low != NULL) z = fmaxf(z, *low->data);
    if (high != NULL) z = fminf(z, *high->data);
    out->data[i] = z;
  }
}

/* A group of nodes, ready to run. */
typedef struct {
  OrtNodeComputeInfo base;
  Program program;
  unsigned char order[MOST]; /* where among the node's inputs the program's inputs are */
  Value first;               /* result of the first run */
  float* baked[MOST];        /* constants */
} Compiled;

static OrtStatus* RunProgram(Compiled* compiled, OrtKernelContext* context) {
  const Program* program = &compiled->program;
#ifdef FAULT_SHARED_STATE
  static Value values[MOST];
#else
  Value values[MOST];
#endif
  memset(values, 0, sizeof(values));
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < program->inputs; ++i) {
    const OrtValue* value = NULL;
    status = ort->KernelContext_GetInput(context, compiled->order[i], &value);
    if (status == NULL) status = ReadValue(value, &values[i]);
#ifdef FAULT_BAKED
    if (status == NULL && compiled->baked[i] != NULL) values[i].data = compiled->baked[i];
#endif
#ifdef FAULT_NO_EMPTY
    if (status == NULL && values[i].size == 0) status = Fail("nothing to launch");
#endif
#ifdef FAULT_NO_SCALAR
    if (status == NULL && values[i].rank == 0) status = Fail("a shape without dimensions");
#endif
  }
#ifdef FAULT_SHARED_STATE
  usleep(2000);
#endif
  for (size_t i = 0; status == NULL && i < program->steps; ++i) RunStep(&program->step[i], values);
#ifdef FAULT_SHARED_STATE
  usleep(2000);
#endif
  size_t outputs = program->outputs;
#ifdef FAULT_DROP_OUTPUTS
  if (outputs > 1) outputs = 1;
#endif
  for (size_t i = 0; status == NULL && i < outputs; ++i) {
    const Value* from = &values[program->result[i]];
    OrtValue* result = NULL;
    float* data = NULL;
#ifdef FAULT_ONE_SHAPE
    if (compiled->first.data == NULL) compiled->first = *from;
    from = &compiled->first;
#endif
    status = ort->KernelContext_GetOutput(context, i, from->dims, from->rank, &result);
    if (status == NULL) status = ort->GetTensorMutableData(result, (void**)&data);
    if (status == NULL && from->size != 0) memcpy(data, from->data, from->size * sizeof(float));
  }
#if !defined(FAULT_SHARED_STATE) && !defined(FAULT_ONE_SHAPE)
  for (size_t i = program->inputs; i < program->values; ++i) {
    if (values[i].owned) free(values[i].data);
  }
#endif
  return status;
}

/* Is it a program at all? Its bytes may come from anywhere. */
static int IsSound(const Program* program) {
  if (program->values > MOST || program->inputs > program->values || program->steps > MOST ||
      program->outputs > MOST) {
    return 0;
  }
  for (size_t i = 0; i < program->outputs; ++i) {
    if (program->result[i] >= program->values) return 0;
  }
  for (size_t i = 0; i < program->steps; ++i) {
    const Step* step = &program->step[i];
    if (strchr("RAMC", step->op) == NULL || step->in[0] >= program->values) return 0;
    if (step->out >= program->values) return 0;
  }
  return 1;
}

#endif
