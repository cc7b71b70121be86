/* A plugin EP that compiles, as small as ORT allows: each Relu, Add and Mul becomes one EPContext
 * node. What it compiles cannot be run; it is there for those who compile models with it.
 *
 * The attribute `notes` of its nodes holds the session's configuration, so that a test can see what
 * arrived. Compiled with one of the FAULT_* macros it misbehaves in exactly one way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

#define TOY_LEVEL 24
#define EP_NAME "ToyCompilerExecutionProvider"
#define EXPORT __attribute__((visibility("default")))
#define MOST 64
#define CHECK(call)                      \
  do {                                   \
    OrtStatus* status_ = (call);         \
    if (status_ != NULL) return status_; \
  } while (0)

static const OrtApi* ort;
static const OrtEpApi* ep_api;
static const OrtModelEditorApi* editor;

typedef struct {
  OrtEpFactory base;
  char registration[128];
  char shared[64]; /* the blob of the group that is open; empty without one */
  OrtHardwareDevice* made;
} Factory;

typedef struct {
  OrtEp base;
  Factory* factory;
  char config[4096];
  char output[1024];
  bool embed, share, stop;
} Ep;

/* ---- what is compiled ---- */

static OrtStatus* ORT_API_CALL CreateState(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                           void** state) NO_EXCEPTION {
  (void)self, (void)context;
  *state = NULL;
  return NULL;
}
static OrtStatus* ORT_API_CALL Compute(OrtNodeComputeInfo* self, void* state,
                                       OrtKernelContext* context) NO_EXCEPTION {
  (void)self, (void)state, (void)context;
  return ort->CreateStatus(ORT_NOT_IMPLEMENTED, "the toy compiler runs nothing");
}
static void ORT_API_CALL ReleaseState(OrtNodeComputeInfo* self, void* state) NO_EXCEPTION {
  (void)self, (void)state;
}

static OrtStatus* Attribute(OrtOpAttr** made, const char* name, const char* text) {
  return ort->CreateOpAttr(name, text, (int)strlen(text), ORT_OP_ATTR_STRING, made);
}

static OrtStatus* Names(const OrtValueInfo** values, size_t count, const char** names) {
  for (size_t i = 0; i < count; ++i) CHECK(ort->GetValueInfoName(values[i], &names[i]));
  return NULL;
}

static OrtStatus* MakeNode(const Ep* ep, const OrtNode* fused, const char* blob, OrtNode** made) {
  const OrtValueInfo* values[MOST];
  const char *inputs[MOST], *outputs[MOST], *name = NULL;
  size_t input_count = 0, output_count = 0;
  CHECK(ort->Node_GetName(fused, &name));
  CHECK(ort->Node_GetNumInputs(fused, &input_count));
  CHECK(ort->Node_GetInputs(fused, values, input_count));
  CHECK(Names(values, input_count, inputs));
  CHECK(ort->Node_GetNumOutputs(fused, &output_count));
  CHECK(ort->Node_GetOutputs(fused, values, output_count));
  CHECK(Names(values, output_count, outputs));
  OrtOpAttr* attributes[5];
  const int64_t main_context = 1, embed = ep->embed;
  CHECK(ort->CreateOpAttr("main_context", &main_context, 1, ORT_OP_ATTR_INT, &attributes[0]));
  CHECK(ort->CreateOpAttr("embed_mode", &embed, 1, ORT_OP_ATTR_INT, &attributes[1]));
  CHECK(Attribute(&attributes[2], "ep_cache_context", blob));
  CHECK(Attribute(&attributes[3], "source", EP_NAME));
  CHECK(Attribute(&attributes[4], "notes", ep->config));
  OrtStatus* status = editor->CreateNode("EPContext", "com.microsoft", name, inputs, input_count,
                                         outputs, output_count, attributes, 5, made);
  for (size_t i = 0; i < 5; ++i) ort->ReleaseOpAttr(attributes[i]);
  return status;
}

static OrtStatus* WriteBlob(const Ep* ep, const char* name, const char* text) {
  char path[2048];
  const char* slash = strrchr(ep->output, '/');
  const int length = slash == NULL ? 0 : (int)(slash - ep->output + 1);
  snprintf(path, sizeof(path), "%.*s%s", length, ep->output, name);
  FILE* file = fopen(path, "a");
  if (file == NULL) return ort->CreateStatus(ORT_FAIL, "cannot write the blob");
  fputs(text, file);
  fclose(file);
  return NULL;
}

static OrtStatus* ORT_API_CALL Compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                       size_t count, OrtNodeComputeInfo** infos,
                                       OrtNode** nodes) NO_EXCEPTION {
  Ep* ep = (Ep*)self;
  (void)graphs;
#ifdef FAULT_CRASH_COMPILE
  *(volatile int*)NULL = 1;
#endif
#ifdef FAULT_HANG_COMPILE
  for (;;) pause();
#endif
#ifdef FAULT_ERROR_COMPILE
  return ort->CreateStatus(ORT_EP_FAIL, "the compiler is on strike");
#endif
#ifdef FAULT_ERROR_STOP
  if (ep->stop) return ort->CreateStatus(ORT_EP_FAIL, "the last one always fails");
#endif
  char blob[128] = "embedded";
  if (!ep->embed) {
    const char* slash = strrchr(ep->output, '/');
    snprintf(blob, sizeof(blob), "%.100s.blob", slash == NULL ? ep->output : slash + 1);
    if (ep->share) {
      if (ep->factory->shared[0] == '\0') {
        snprintf(ep->factory->shared, sizeof(ep->factory->shared), "%.60s", blob);
      }
      snprintf(blob, sizeof(blob), "%s", ep->factory->shared);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    OrtNodeComputeInfo* info = calloc(1, sizeof(*info));
    info->ort_version_supported = TOY_LEVEL;
    info->CreateState = CreateState;
    info->Compute = Compute;
    info->ReleaseState = ReleaseState;
    infos[i] = info;
    if (ep->output[0] != '\0') CHECK(MakeNode(ep, fused[i], blob, &nodes[i]));
  }
#ifndef FAULT_NO_BLOB
  if (!ep->embed && (!ep->share || ep->stop)) CHECK(WriteBlob(ep, blob, "compiled\n"));
#endif
  if (ep->stop) ep->factory->shared[0] = '\0';
  return NULL;
}

static void ORT_API_CALL ReleaseInfos(OrtEp* self, OrtNodeComputeInfo** infos,
                                      size_t count) NO_EXCEPTION {
  (void)self;
  for (size_t i = 0; i < count; ++i) free(infos[i]);
}

/* ---- EP ---- */

static const char* ORT_API_CALL EpName(const OrtEp* self) NO_EXCEPTION {
  (void)self;
  return EP_NAME;
}

static OrtStatus* ORT_API_CALL GetCapability(OrtEp* self, const OrtGraph* graph,
                                             OrtEpGraphSupportInfo* support) NO_EXCEPTION {
  (void)self;
  size_t count = 0;
  CHECK(ort->Graph_GetNumNodes(graph, &count));
  const OrtNode** nodes = calloc(count + 1, sizeof(*nodes));
  OrtStatus* status = ort->Graph_GetNodes(graph, nodes, count);
  OrtNodeFusionOptions options = {.ort_version_supported = TOY_LEVEL};
  for (size_t i = 0; status == NULL && i < count; ++i) {
    const char* op = "";
    status = ort->Node_GetOperatorType(nodes[i], &op);
    if (status == NULL && (!strcmp(op, "Relu") || !strcmp(op, "Add") || !strcmp(op, "Mul"))) {
      status = ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &nodes[i], 1, &options);
    }
  }
  free(nodes);
  return status;
}

/* ---- factory ---- */

static const char* ORT_API_CALL FactoryName(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return EP_NAME;
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

static OrtStatus* AddVirtual(Factory* factory, OrtEpDevice** offered, size_t* count) {
  const size_t length = strlen(factory->registration);
  if (length < 8 || strcmp(factory->registration + length - 8, ".virtual") != 0) return NULL;
  OrtKeyValuePairs* metadata = NULL;
  ort->CreateKeyValuePairs(&metadata);
  ort->AddKeyValuePair(metadata, "is_virtual", "1");
  OrtStatus* status = ep_api->CreateHardwareDevice(OrtHardwareDeviceType_NPU, 0, 1, "Toy", metadata,
                                                   &factory->made);
  ort->ReleaseKeyValuePairs(metadata);
  if (status != NULL) return status;
  return ep_api->CreateEpDevice(&factory->base, factory->made, NULL, NULL, &offered[(*count)++]);
}

static OrtStatus* ORT_API_CALL Devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                       size_t count, OrtEpDevice** offered, size_t room,
                                       size_t* offered_count) NO_EXCEPTION {
  *offered_count = 0;
  (void)devices, (void)count, (void)room;
#ifndef NO_REAL_DEVICE
  for (size_t i = 0; i < count && *offered_count == 0; ++i) {
    if (ort->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    CHECK(ep_api->CreateEpDevice(self, devices[i], NULL, NULL, &offered[(*offered_count)++]));
  }
#endif
  return AddVirtual((Factory*)self, offered, offered_count);
}

static OrtStatus* ReadConfig(Ep* ep, const OrtSessionOptions* options) {
  OrtKeyValuePairs* pairs = NULL;
  CHECK(ort->GetSessionOptionsConfigEntries(options, &pairs));
  const char *const *keys, *const *values;
  size_t count = 0, used = 0;
  ort->GetKeyValuePairs(pairs, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) {
    const bool yes = strcmp(values[i], "1") == 0;
    used += (size_t)snprintf(ep->config + used, sizeof(ep->config) - used, "%s=%s\n", keys[i],
                             values[i]);
    if (strcmp(keys[i], "ep.context_embed_mode") == 0) ep->embed = yes;
    if (strcmp(keys[i], "ep.share_ep_contexts") == 0) ep->share = yes;
    if (strcmp(keys[i], "ep.stop_share_ep_contexts") == 0) ep->stop = yes;
    if (strcmp(keys[i], "ep.context_file_path") == 0) {
      snprintf(ep->output, sizeof(ep->output), "%s", values[i]);
    }
    if (used >= sizeof(ep->config)) break;
  }
  ort->ReleaseKeyValuePairs(pairs);
  return NULL;
}

static OrtStatus* ORT_API_CALL CreateEp(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                        const OrtKeyValuePairs* const* metadata, size_t count,
                                        const OrtSessionOptions* options, const OrtLogger* logger,
                                        OrtEp** ep) NO_EXCEPTION {
  (void)devices, (void)metadata, (void)count, (void)logger;
  Ep* made = calloc(1, sizeof(Ep));
  made->factory = (Factory*)self;
  made->base.ort_version_supported = TOY_LEVEL;
  made->base.GetName = EpName;
  made->base.GetCapability = GetCapability;
  made->base.Compile = Compile;
  made->base.ReleaseNodeComputeInfos = ReleaseInfos;
  CHECK(ReadConfig(made, options));
  *ep = &made->base;
  return NULL;
}

static void ORT_API_CALL ReleaseEp(OrtEpFactory* self, OrtEp* ep) NO_EXCEPTION {
  (void)self;
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

EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                    const OrtLogger* logger, OrtEpFactory** factories, size_t room,
                                    size_t* count) NO_EXCEPTION {
  (void)logger, (void)room;
  ort = base->GetApi(TOY_LEVEL);
  if (ort == NULL) return base->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, "needs 1.24");
  ep_api = ort->GetEpApi();
  editor = ort->GetModelEditorApi();
  Factory* made = calloc(1, sizeof(Factory));
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
  factories[0] = &made->base;
  *count = 1;
  return NULL;
}

EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) NO_EXCEPTION {
  Factory* made = (Factory*)factory;
  if (made->made != NULL) ep_api->ReleaseHardwareDevice(made->made);
  free(factory);
  return NULL;
}
