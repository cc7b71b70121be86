/* A plugin EP as small as ORT allows: Relu, Add and Mul for float32 through the kernel registry.
 *
 * Compiled with one of the FAULT_* macros it misbehaves in exactly one way, so that a test can say
 * what `epforge validate` must find. Without any it is right in everything that is checked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

#ifndef TOY_LEVEL
#define TOY_LEVEL 24
#endif
#define EP_NAME "ToyExecutionProvider"
#define EXPORT __attribute__((visibility("default")))
#define CHECK(call)                     \
  do {                                  \
    OrtStatus* status_ = (call);        \
    if (status_ != NULL) return status_; \
  } while (0)

static const OrtApi* ort;
static const OrtEpApi* ep_api;

typedef struct {
  OrtEpFactory base;
  const char* name;
  char registration[128];
  OrtHardwareDevice* made;
} Factory;

typedef struct {
  OrtEp base;
  const char* name;
  OrtKernelRegistry* registry;
} Ep;

typedef struct {
  OrtKernelImpl base;
  char op; /* 'R', 'A' or 'M' */
} Kernel;

/* ---- kernels ---- */

static OrtStatus* ReadTensor(const OrtValue* value, const void** data, int64_t* dims, size_t* rank) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CHECK(ort->GetTensorTypeAndShape(value, &info));
  OrtStatus* status = ort->GetDimensionsCount(info, rank);
  if (status == NULL) status = ort->GetDimensions(info, dims, *rank);
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (status != NULL) return status;
  return ort->GetTensorMutableData((OrtValue*)value, (void**)data);
}

static size_t Broadcast(const int64_t* dims, size_t rank, const int64_t* out, size_t out_rank,
                        size_t flat) {
  size_t offset = 0;
  size_t stride = 1;
  for (size_t i = 0; i < out_rank; ++i) {
    const size_t axis = out_rank - 1 - i;
    const size_t at = flat % (size_t)out[axis];
    flat /= (size_t)out[axis];
    if (i < rank) {
      const size_t dim = (size_t)dims[rank - 1 - i];
      offset += (dim == 1 ? 0 : at) * stride;
      stride *= dim;
    }
  }
  return offset;
}

#ifdef FAULT_ROUTED_BY_THREAD
static _Thread_local bool this_thread_has_an_ep;
#endif
#ifdef FAULT_SHARED_SCRATCH
static float scratch[1 << 16];
#endif
#ifdef FAULT_LAST_IS_FIRST /* whoever was made last is taken to be released first */
static const void* volatile latest_ep;
static volatile bool is_out_of_order;
#endif

static OrtStatus* ORT_API_CALL Compute(OrtKernelImpl* self, OrtKernelContext* context) NO_EXCEPTION {
  const char op = ((Kernel*)self)->op;
  const float* data[2] = {NULL, NULL};
  int64_t dims[2][8];
  size_t rank[2] = {0, 0};
  const size_t count = op == 'R' ? 1 : 2;
#ifdef FAULT_CRASH_COMPUTE
  if (op == 'A') *(volatile int*)NULL = 1;
#endif
#ifdef FAULT_CRASH_TOGETHER /* nothing of one op disturbs it, but the next one does */
  static char first;
  if (first == 0) first = op;
  if (op != first) abort();
#endif
#ifdef FAULT_HANG_COMPUTE
  if (op == 'A') {
    for (;;) sleep(1);
  }
#endif
  for (size_t i = 0; i < count; ++i) {
    const OrtValue* value = NULL;
    CHECK(ort->KernelContext_GetInput(context, i, &value));
    CHECK(ReadTensor(value, (const void**)&data[i], dims[i], &rank[i]));
  }
  int64_t out[8];
  const size_t out_rank = rank[0] > rank[1] ? rank[0] : rank[1];
  size_t size = 1;
  for (size_t i = 0; i < out_rank; ++i) {
    int64_t dim = 1;
    for (size_t k = 0; k < count; ++k) {
      if (i < rank[k] && dims[k][rank[k] - 1 - i] != 1) dim = dims[k][rank[k] - 1 - i];
    }
    out[out_rank - 1 - i] = dim;
    size *= (size_t)dim;
  }
#ifdef FAULT_OVERFLOW
  if (op == 'R') {
    char* small = malloc(4);
    small[*(volatile size_t*)&size + 4] = 1;
    free(small);
  }
#endif
#ifdef FAULT_CRASH_EMPTY
  if (size == 0) abort();
#endif
#ifdef FAULT_NO_EMPTY
  if (size == 0) return ort->CreateStatus(ORT_FAIL, "output data pointer is null");
#endif
  OrtValue* result = NULL;
  float* y = NULL;
  CHECK(ort->KernelContext_GetOutput(context, 0, out, out_rank, &result));
  CHECK(ort->GetTensorMutableData(result, (void**)&y));
  for (size_t i = 0; i < size; ++i) {
    const float a = data[0][Broadcast(dims[0], rank[0], out, out_rank, i)];
    const float b = count == 2 ? data[1][Broadcast(dims[1], rank[1], out, out_rank, i)] : 0.0F;
#ifdef FAULT_WRONG
    y[i] = op == 'R' ? fabsf(a) : op == 'A' ? a + b : a * b;
#else
    y[i] = op == 'R' ? (a > 0.0F ? a : 0.0F) : op == 'A' ? a + b : a * b;
#endif
  }
#ifdef FAULT_SHARED_SCRATCH
  memcpy(scratch, y, size * sizeof(*y));
  for (volatile size_t wait = 0; wait < size; ++wait) {
  }
  memcpy(y, scratch, size * sizeof(*y));
#endif
#ifdef FAULT_ROUTED_BY_THREAD
  if (!this_thread_has_an_ep) memset(y, 0, size * sizeof(*y));
#endif
#ifdef FAULT_LAST_IS_FIRST
  if (is_out_of_order) memset(y, 0, size * sizeof(*y));
#endif
  return NULL;
}

static void ORT_API_CALL ReleaseKernel(OrtKernelImpl* self) NO_EXCEPTION { free(self); }

static OrtStatus* ORT_API_CALL MakeKernel(void* state, const OrtKernelInfo* info,
                                          OrtKernelImpl** kernel) NO_EXCEPTION {
  (void)info;
  Kernel* made = calloc(1, sizeof(Kernel));
  made->base.ort_version_supported = TOY_LEVEL;
  made->base.Compute = Compute;
  made->base.Release = ReleaseKernel;
  made->op = *(const char*)state;
  *kernel = &made->base;
  return NULL;
}

static OrtStatus* AddKernel(OrtKernelRegistry* registry, const char* ep, const char* op,
                            int since) {
  const OrtDataType* types[2];
  size_t type_count = 1;
  CHECK(ep_api->GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &types[0]));
#ifdef FAULT_TAKES_DOUBLE
  CHECK(ep_api->GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, &types[type_count++]));
#endif
  OrtKernelDefBuilder* builder = NULL;
  OrtKernelDef* def = NULL;
  CHECK(ep_api->CreateKernelDefBuilder(&builder));
  CHECK(ep_api->KernelDefBuilder_SetOperatorType(builder, op));
  CHECK(ep_api->KernelDefBuilder_SetDomain(builder, ""));
  CHECK(ep_api->KernelDefBuilder_SetSinceVersion(builder, since, since));
  CHECK(ep_api->KernelDefBuilder_SetExecutionProvider(builder, ep));
  CHECK(ep_api->KernelDefBuilder_AddTypeConstraint(builder, "T", types, type_count));
  CHECK(ep_api->KernelDefBuilder_Build(builder, &def));
  ep_api->ReleaseKernelDefBuilder(builder);
  OrtStatus* status = ep_api->KernelRegistry_AddKernel(registry, def, MakeKernel, (void*)op);
  ep_api->ReleaseKernelDef(def);
  return status;
}

/* ---- EP ---- */

static const char* ORT_API_CALL EpName(const OrtEp* self) NO_EXCEPTION {
#ifdef FAULT_OTHER_EP_NAME
  (void)self;
  return "AnotherExecutionProvider";
#else
  return ((const Ep*)self)->name;
#endif
}

static OrtStatus* ORT_API_CALL GetCapability(OrtEp* self, const OrtGraph* graph,
                                             OrtEpGraphSupportInfo* support) NO_EXCEPTION {
  (void)self;
  size_t count = 0;
  CHECK(ort->Graph_GetNumNodes(graph, &count));
  const OrtNode** nodes = calloc(count + 1, sizeof(*nodes));
  OrtStatus* status = ort->Graph_GetNodes(graph, nodes, count);
  for (size_t i = 0; status == NULL && i < count; ++i) {
    const OrtKernelDef* def = NULL;
    status = ep_api->EpGraphSupportInfo_LookUpKernel(support, nodes[i], &def);
    if (status == NULL && def != NULL) {
      status = ep_api->EpGraphSupportInfo_AddSingleNode(support, nodes[i]);
    }
  }
  free(nodes);
  return status;
}

static OrtStatus* MakeRegistry(OrtKernelRegistry** registry, const char* ep) {
  static const struct {
    const char* op;
    int since;
  } kRows[] = {{"Relu", 6}, {"Relu", 14}, {"Add", 7}, {"Add", 13},
#ifndef FAULT_GAP
               {"Relu", 13},
#endif
               {"Add", 14}, {"Mul", 7},   {"Mul", 13},  {"Mul", 14}};
  CHECK(ep_api->CreateKernelRegistry(registry));
  for (size_t i = 0; i < sizeof(kRows) / sizeof(*kRows); ++i) {
    CHECK(AddKernel(*registry, ep, kRows[i].op, kRows[i].since));
  }
  return NULL;
}

static OrtKernelRegistry* shared_registry; /* of faults only */

static OrtStatus* ORT_API_CALL GetKernelRegistry(OrtEp* self,
                                                 const OrtKernelRegistry** registry) NO_EXCEPTION {
#ifdef FAULT_LAZY_REGISTRY
  (void)self;
  if (shared_registry == NULL) {
    OrtKernelRegistry* made = NULL;
    CHECK(MakeRegistry(&made, EP_NAME));
    shared_registry = made;
  }
  *registry = shared_registry;
#else
  *registry = ((Ep*)self)->registry;
#endif
  return NULL;
}

static OrtStatus* ORT_API_CALL Concurrent(OrtEp* self, bool* supported) NO_EXCEPTION {
  (void)self;
#ifdef SAYS_NO_CONCURRENCY
  *supported = false;
#else
  *supported = true;
#endif
  return NULL;
}

/* ---- factory ---- */

static const char* ORT_API_CALL FactoryName(const OrtEpFactory* self) NO_EXCEPTION {
#ifdef FAULT_OWN_NAME
  return ((const Factory*)self)->registration;
#else
  return ((const Factory*)self)->name;
#endif
}
static const char* ORT_API_CALL Vendor(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return "Toy";
}
static const char* ORT_API_CALL Version(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return "0.1.0";
}
static uint32_t ORT_API_CALL VendorId(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return 0;
}

static OrtStatus* ORT_API_CALL Devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                       size_t count, OrtEpDevice** offered, size_t room,
                                       size_t* offered_count) NO_EXCEPTION {
  *offered_count = 0;
#ifdef FAULT_NO_DEVICES
  (void)self, (void)devices, (void)count, (void)offered, (void)room;
#else
#ifdef VIRTUAL_ONLY
  Factory* factory = (Factory*)self;
  const size_t length = strlen(factory->registration);
  (void)devices, (void)count, (void)room;
  if (length < 8 || strcmp(factory->registration + length - 8, ".virtual") != 0) return NULL;
  OrtKeyValuePairs* metadata = NULL;
  ort->CreateKeyValuePairs(&metadata);
#ifndef FAULT_UNMARKED
  ort->AddKeyValuePair(metadata, "is_virtual", "1");
#endif
  OrtStatus* status = ep_api->CreateHardwareDevice(OrtHardwareDeviceType_NPU, 0, 1, "Toy", metadata,
                                                   &factory->made);
  ort->ReleaseKeyValuePairs(metadata);
  if (status != NULL) return status;
  CHECK(ep_api->CreateEpDevice(self, factory->made, NULL, NULL, &offered[0]));
  *offered_count = 1;
#else
  for (size_t i = 0; i < count && *offered_count < room; ++i) {
#ifdef FAULT_CRASH_ON_NPU
    if (ort->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_NPU) abort();
#endif
    if (ort->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    CHECK(ep_api->CreateEpDevice(self, devices[i], NULL, NULL, &offered[0]));
    *offered_count = 1;
    break;
  }
#endif
#endif
  return NULL;
}

#ifndef FAULT_OPTIONS_IGNORED
#include "toy_options.h"
#endif

static OrtStatus* ORT_API_CALL CreateEp(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                        const OrtKeyValuePairs* const* metadata, size_t count,
                                        const OrtSessionOptions* options, const OrtLogger* logger,
                                        OrtEp** ep) NO_EXCEPTION {
  (void)self, (void)devices, (void)metadata, (void)count, (void)options, (void)logger;
#ifdef FAULT_NO_EP
  if (ort != NULL) return ort->CreateStatus(ORT_FAIL, "there is no hardware\nbehind this device");
#endif
#ifndef FAULT_CONTEXT_IGNORED
  char value[8] = "";
  size_t size = sizeof(value);
  int there = 0;
  CHECK(ort->HasSessionConfigEntry(options, "ep.context_enable", &there));
  if (there) CHECK(ort->GetSessionConfigEntry(options, "ep.context_enable", value, &size));
  if (value[0] == '1') return ort->CreateStatus(ORT_NOT_IMPLEMENTED, "toy compiles no models");
#endif
#ifndef FAULT_OPTIONS_IGNORED
  CHECK(RefuseOptions(options));
#endif
#ifdef FAULT_SETENV
  setenv("TOY_WAS_HERE", "1", 1);
#endif
#ifdef FAULT_STDOUT
  puts("toy says hello");
#endif
  Ep* made = calloc(1, sizeof(Ep));
  made->name = ((Factory*)self)->name;
  made->base.ort_version_supported = TOY_LEVEL;
  made->base.GetName = EpName;
  made->base.GetCapability = GetCapability;
  made->base.GetKernelRegistry = GetKernelRegistry;
#ifndef FAULT_UNSET_CONCURRENCY
  made->base.IsConcurrentRunSupported = Concurrent;
#endif
#ifdef FAULT_STAMP_ZERO
  made->base.ort_version_supported = 0;
#endif
#ifndef FAULT_LAZY_REGISTRY
  CHECK(MakeRegistry(&made->registry, made->name));
#endif
#ifdef FAULT_ROUTED_BY_THREAD
  this_thread_has_an_ep = true;
#endif
#ifdef FAULT_LAST_IS_FIRST
  latest_ep = made;
#endif
  *ep = &made->base;
  return NULL;
}

static void ORT_API_CALL ReleaseEp(OrtEpFactory* self, OrtEp* ep) NO_EXCEPTION {
  (void)self;
#ifdef FAULT_LAST_IS_FIRST
  if ((void*)ep != latest_ep) is_out_of_order = true;
#endif
  if (((Ep*)ep)->registry != NULL) ep_api->ReleaseKernelRegistry(((Ep*)ep)->registry);
  free(ep);
}

static OrtStatus* ORT_API_CALL DataTransfer(OrtEpFactory* self,
                                            OrtDataTransferImpl** transfer) NO_EXCEPTION {
  (void)self;
  *transfer = NULL;
  return NULL;
}

static bool ORT_API_CALL StreamAware(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return false;
}

/* ---- entry ---- */

#ifdef FAULT_NO_ENTRY
static
#else
EXPORT
#endif
    OrtStatus*
    CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                                    OrtEpFactory** factories, size_t room, size_t* count) NO_EXCEPTION {
  (void)logger, (void)room;
#ifdef FAULT_CRASH_REGISTER
  abort();
#endif
#ifdef FAULT_HANG_REGISTER
  for (;;) sleep(1);
#endif
#ifdef FAULT_STDERR
  fprintf(stderr, "toy: hello from the library\n");
#endif
  ort = base->GetApi(TOY_LEVEL);
#ifdef FAULT_UNCHECKED_API
  ep_api = ort->GetEpApi();
#endif
#ifdef FAULT_SILENT_WHEN_OLD
  *count = 0;
  if (ort == NULL) return NULL;
#endif
#ifdef FAULT_VAGUE_WHEN_OLD
  if (ort == NULL) return base->GetApi(1)->CreateStatus(ORT_FAIL, "please update");
#endif
  if (ort == NULL) {
    char text[160];
    snprintf(text, sizeof(text), "toy needs ONNX Runtime 1.%d, this is %s", TOY_LEVEL,
             base->GetVersionString());
    return base->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, text);
  }
  ep_api = ort->GetEpApi();
#ifdef FAULT_OTHER_ERROR
  return ort->CreateStatus(ORT_FAIL, "the driver is asleep");
#endif
#ifdef LOGS_REASON
  CHECK(ort->Logger_LogMessage(logger, ORT_LOGGING_LEVEL_INFO, "no device of this vendor here",
                               "toy_ep.c", __LINE__, "CreateEpFactories"));
#endif
#ifdef TWO_EPS
  static const char* const kNames[] = {EP_NAME, "SecondExecutionProvider"};
#else
  static const char* const kNames[] = {EP_NAME};
#endif
  *count = sizeof(kNames) / sizeof(*kNames);
  for (size_t i = 0; i < *count; ++i) {
    Factory* made = calloc(1, sizeof(Factory));
    made->name = kNames[i];
    snprintf(made->registration, sizeof(made->registration), "%s", name);
    made->base.ort_version_supported = TOY_LEVEL;
    made->base.GetName = FactoryName;
    made->base.GetVendor = Vendor;
    made->base.GetVendorId = VendorId;
    made->base.GetVersion = Version;
    made->base.GetSupportedDevices = Devices;
    made->base.CreateEp = CreateEp;
    made->base.ReleaseEp = ReleaseEp;
    made->base.CreateDataTransfer = DataTransfer;
    made->base.IsStreamAware = StreamAware;
    factories[i] = &made->base;
  }
  return NULL;
}

#if !defined(FAULT_NO_RELEASE_EXPORT) && !defined(FAULT_NO_ENTRY)
EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) NO_EXCEPTION {
#ifdef VIRTUAL_ONLY
  if (((Factory*)factory)->made != NULL) ep_api->ReleaseHardwareDevice(((Factory*)factory)->made);
#endif
  if (shared_registry != NULL) ep_api->ReleaseKernelRegistry(shared_registry);
  shared_registry = NULL;
  free(factory);
  return NULL;
}
#endif

#ifdef FAULT_EXTRA_EXPORT
EXPORT int toy_internal_counter;
#endif

#ifdef FAULT_GET_PROVIDER
EXPORT void* GetProvider(void);
void* GetProvider(void) { return NULL; }
#endif

#ifdef FAULT_LINKS_RUNTIME
extern const OrtApiBase* OrtGetApiBase(void);
EXPORT const void* toy_base(void);
const void* toy_base(void) { return OrtGetApiBase(); }
#endif

#ifdef FAULT_EXIT_CRASH
__attribute__((destructor)) static void Late(void) { if (ort != NULL) abort(); }
#endif
