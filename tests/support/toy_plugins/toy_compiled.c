/* A plugin EP that compiles: Relu, Add, Mul and Clip for float32, in groups, with compiled models.
 *
 * Compiled with one of the FAULT_* macros (some are in the headers beside this file) it misbehaves
 * in exactly one way. Without any it is right in everything that is checked.
 */
#include "toy_partition.h"
#include "toy_writer.h"

#include "toy_options.h"  /* behind `ort`, which the others have */

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  OrtEpFactory base;
  Group group;
  int live;
} Factory;

typedef struct {
  OrtEp base;
  Factory* factory;
  Wish wish;
  bool written;
  bool body; /* the graph that was divided last is a subgraph */
} Ep;

#ifdef FAULT_ONE_REGISTRATION
static Factory* only;
#endif

/* ---- which nodes ---- */

static OrtStatus* ORT_API_CALL GetCapability(OrtEp* self, const OrtGraph* graph,
                                             OrtEpGraphSupportInfo* support) NO_EXCEPTION {
  Ep* ep = (Ep*)self;
  const OrtNode* parent = NULL;
  size_t count = 0;
  CHECK(ort->Graph_GetParentNode(graph, &parent));
  ep->body = parent != NULL;
  CHECK(ort->Graph_GetNumNodes(graph, &count));
  const OrtNode** nodes = calloc(count + 1, sizeof(*nodes));
  OrtStatus* status = ort->Graph_GetNodes(graph, nodes, count);
  bool compiled = false;
  for (size_t i = 0; status == NULL && i < count; ++i) {
    const char* type = NULL;
    bool ours = false;
    status = ort->Node_GetOperatorType(nodes[i], &type);
    if (status != NULL || strcmp(type, "EPContext") != 0) continue;
    status = IsOurs(nodes[i], &ours);
    if (status == NULL && ours) {
      status = ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &nodes[i], 1, NULL);
      compiled = true;
    }
  }
#ifdef FAULT_YIELDS
  compiled = compiled || ep->wish.no_compiling;
#endif
  if (status == NULL && !compiled) status = Divide(nodes, count, support);
  free(nodes);
  return status;
}

/* ---- compiling ---- */

static unsigned char Number(const char** names, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(names[i], name) == 0) return (unsigned char)i;
  }
  return NOWHERE;
}

static OrtStatus* MakeProgram(const OrtGraph* graph, const OrtNode* fused, Program* program) {
  const char *names[MOST], *some[MOST];
  const OrtNode* nodes[MOST];
  size_t values = 0, count = 0, used = 0;
  CHECK(Names(fused, 0, names, &values));
  program->inputs = (unsigned char)values;
  CHECK(ort->Graph_GetNumNodes(graph, &count));
  if (count > MOST) return Fail("too many nodes");
  CHECK(ort->Graph_GetNodes(graph, nodes, count));
  program->steps = (unsigned char)count;
  for (size_t i = 0; i < count; ++i) {
    Step* step = &program->step[i];
    bool supported = false;
    CHECK(IsSupported(nodes[i], &step->op, &supported));
    memset(step->in, NOWHERE, sizeof(step->in));
    CHECK(Names(nodes[i], 0, some, &used));
    for (size_t k = 0; k < used && k < 3; ++k) {
      if (some[k][0] != '\0') step->in[k] = Number(names, values, some[k]);
    }
    CHECK(Names(nodes[i], 1, some, &used));
    step->out = (unsigned char)values;
    names[values++] = some[0];
  }
  program->values = (unsigned char)values;
  CHECK(Names(fused, 1, some, &used));
  program->outputs = (unsigned char)used;
  for (size_t i = 0; i < used; ++i) program->result[i] = Number(names, values, some[i]);
  return NULL;
}

static OrtStatus* ORT_API_CALL CreateState(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                           void** state) NO_EXCEPTION {
  (void)self, (void)context;
  *state = NULL;
  return NULL;
}

static OrtStatus* ORT_API_CALL Compute(OrtNodeComputeInfo* self, void* state,
                                       OrtKernelContext* context) NO_EXCEPTION {
  (void)state;
  return RunProgram((Compiled*)self, context);
}

static void ORT_API_CALL ReleaseState(OrtNodeComputeInfo* self, void* state) NO_EXCEPTION {
  (void)self, (void)state;
}

#ifdef FAULT_BAKED
static OrtStatus* Bake(const OrtGraph* graph, const OrtNode* fused, float** baked) {
  const OrtValueInfo* inputs[MOST];
  const char *names[MOST], *name = NULL;
  size_t count = 0, outer = 0;
  CHECK(Names(fused, 0, names, &outer));
  CHECK(ort->Graph_GetNumInputs(graph, &count));
  CHECK(ort->Graph_GetInputs(graph, inputs, count));
  for (size_t i = 0; i < count; ++i) {
    const OrtValue* value = NULL;
    Value constant;
    CHECK(ort->ValueInfo_GetInitializerValue(inputs[i], &value));
    CHECK(ort->GetValueInfoName(inputs[i], &name));
    if (value == NULL || Number(names, outer, name) == NOWHERE) continue;
    CHECK(ReadValue(value, &constant));
    float* copy = malloc(constant.size * sizeof(float));
    memcpy(copy, constant.data, constant.size * sizeof(float));
    baked[Number(names, outer, name)] = copy;
  }
  return NULL;
}
#endif

/* One group; `loaded` if it is an EPContext node of ours. */
static OrtStatus* CompileGroup(Ep* ep, const OrtGraph* graph, const OrtNode* fused, bool* loaded,
                               Compiled* compiled) {
  const OrtNode* first = NULL;
  const char *type = NULL, *outer[MOST], *inner[MOST];
  size_t count = 0, outer_count = 0, inner_count = 0;
  CHECK(ort->Graph_GetNumNodes(graph, &count));
  if (count == 1) CHECK(ort->Graph_GetNodes(graph, &first, 1));
  if (count == 1) CHECK(ort->Node_GetOperatorType(first, &type));
  *loaded = type != NULL && strcmp(type, "EPContext") == 0;
  for (size_t i = 0; i < MOST; ++i) compiled->order[i] = (unsigned char)i;
  if (!*loaded) {
#ifdef FAULT_NO_OUTER
    if (ep->body) return Fail("cannot rebuild the subgraph");
#endif
#ifdef FAULT_BODY_CACHE
    static Program cached;
    if (ep->body && cached.steps == 0) CHECK(MakeProgram(graph, fused, &cached));
    compiled->program = cached;
    if (ep->body) return NULL;
#endif
#ifdef FAULT_BAKED
    CHECK(Bake(graph, fused, compiled->baked));
#endif
    return MakeProgram(graph, fused, &compiled->program);
  }
#ifndef FAULT_RECOMPILES
  if (ep->wish.write) return Fail("the model is compiled already");
#endif
  CHECK(Names(fused, 0, outer, &outer_count));
  CHECK(Names(first, 0, inner, &inner_count));
  for (size_t i = 0; i < inner_count; ++i) {
    compiled->order[i] = Number(outer, outer_count, inner[i]);
  }
  CHECK(LoadProgram(graph, first, &ep->wish, &compiled->program));
  return compiled->program.inputs == inner_count ? NULL : Fail("the node has other inputs");
}

static OrtStatus* ORT_API_CALL Compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                       size_t count, OrtNodeComputeInfo** infos,
                                       OrtNode** nodes) NO_EXCEPTION {
  Ep* ep = (Ep*)self;
  Group* group = &ep->factory->group;
  Output output = {0};
  OrtStatus* status = NULL;
  if (ep->wish.write && count != 0) status = BeginWrite(graphs[0], &ep->wish, group, &output);
  for (size_t i = 0; status == NULL && i < count; ++i) {
    bool loaded = false;
    Compiled* made = calloc(1, sizeof(Compiled));
    made->base.ort_version_supported = TOY_LEVEL;
    made->base.CreateState = CreateState;
    made->base.Compute = Compute;
    made->base.ReleaseState = ReleaseState;
    infos[i] = &made->base;
    status = CompileGroup(ep, graphs[i], fused[i], &loaded, made);
  }
  if (status == NULL && ep->wish.write && count != 0) {
    status = Write(graphs[0], &ep->wish, group, &output, fused, (Compiled**)infos, count, nodes);
    ep->written = status == NULL;
  }
  return status;
}

static void ORT_API_CALL ReleaseInfos(OrtEp* self, OrtNodeComputeInfo** infos,
                                      size_t count) NO_EXCEPTION {
  (void)self;
  for (size_t i = 0; i < count; ++i) free(infos[i]);
}

/* ---- EP and factory ---- */

static const char* ORT_API_CALL EpName(const OrtEp* self) NO_EXCEPTION {
  (void)self;
  return EP_NAME;
}

static const char* ORT_API_CALL Compatibility(OrtEp* self, const OrtGraph* graph) NO_EXCEPTION {
  (void)self, (void)graph;
  return EP_NAME ";format=1";
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
#ifndef FAULT_NO_COMPATIBILITY
  made->base.GetCompiledModelCompatibilityInfo = Compatibility;
#endif
  OrtStatus* status = ReadWish(options, &made->wish);
  if (status == NULL) status = RefuseOptions(options);
#ifdef FAULT_ONE_REGISTRATION
  if (status == NULL && only == NULL) status = Fail("nothing is registered");
#endif
#ifdef FAULT_ONE_SESSION
  if (status == NULL && made->factory->live > 0) status = Fail("the device is busy");
#endif
  if (status != NULL) {
    free(made);
    return status;
  }
  ++made->factory->live;
  *ep = &made->base;
  return NULL;
}

static void ORT_API_CALL ReleaseEp(OrtEpFactory* self, OrtEp* ep) NO_EXCEPTION {
  Factory* factory = (Factory*)self;
  const Ep* session = (const Ep*)ep;
  --factory->live;
#ifndef FAULT_GROUP_LIVES
  if (session->wish.write && session->wish.share && !session->written) factory->group.open = false;
#endif
  (void)session;
  free(ep);
}

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
static OrtStatus* ORT_API_CALL Validate(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                        size_t count, const char* info,
                                        OrtCompiledModelCompatibility* verdict) NO_EXCEPTION {
  (void)self, (void)devices, (void)count;
  *verdict = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  if (strcmp(info, EP_NAME ";format=1") == 0) {
    *verdict = OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL;
  }
#ifdef FAULT_PREFIX_IS_ENOUGH
  if (strncmp(info, EP_NAME, strlen(EP_NAME)) == 0) {
    *verdict = OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL;
  }
#endif
#ifdef FAULT_NEVER_OPTIMAL
  *verdict = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
#endif
  return NULL;
}
static uint32_t ORT_API_CALL VendorId(const OrtEpFactory* self) NO_EXCEPTION {
  (void)self;
  return 0;
}

static OrtStatus* ORT_API_CALL Devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                       size_t count, OrtEpDevice** offered, size_t room,
                                       size_t* offered_count) NO_EXCEPTION {
  *offered_count = 0;
  for (size_t i = 0; i < count && *offered_count < 1 && room > 0; ++i) {
    if (ort->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    CHECK(ep_api->CreateEpDevice(self, devices[i], NULL, NULL, &offered[0]));
    *offered_count = 1;
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL DataTransfer(OrtEpFactory* self,
                                            OrtDataTransferImpl** transfer) NO_EXCEPTION {
  (void)self;
  *transfer = NULL;
  return NULL;
}

EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                    const OrtLogger* logger, OrtEpFactory** factories, size_t room,
                                    size_t* count) NO_EXCEPTION {
  (void)name, (void)logger, (void)room;
  ort = base->GetApi(TOY_LEVEL);
  if (ort == NULL) return base->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, "needs 1.24");
  ep_api = ort->GetEpApi();
  Factory* made = calloc(1, sizeof(Factory));
  made->base.ort_version_supported = TOY_LEVEL;
  made->base.GetName = FactoryName;
  made->base.GetVendor = Vendor;
  made->base.GetVendorId = VendorId;
  made->base.GetVersion = Version;
  made->base.GetSupportedDevices = Devices;
  made->base.CreateEp = CreateEp;
  made->base.ReleaseEp = ReleaseEp;
  made->base.CreateDataTransfer = DataTransfer;
  made->base.ValidateCompiledModelCompatibilityInfo = Validate;
#ifdef FAULT_ONE_REGISTRATION
  only = made;
#endif
  factories[0] = &made->base;
  *count = 1;
  return NULL;
}

EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) NO_EXCEPTION {
#ifdef FAULT_ONE_REGISTRATION
  only = NULL;
#endif
  free(factory);
  return NULL;
}
