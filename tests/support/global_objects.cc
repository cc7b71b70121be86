// An application that leaves everything to the destructor of a global object.
//
// Arguments: ONNX Runtime's library, the plugin, the registration's name, a model, whose object it
// is (`first`: made before ONNX Runtime was loaded, so that the runtime's own objects and those of
// the plugin are destroyed before it; `last`: after that), and what its destructor does
// (`unregister`, `release`: only session and environment, `nothing`).
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* api = nullptr;

void Check(OrtStatus* status) {
  if (status == nullptr) return;
  std::fprintf(stderr, "%s\n", api->GetErrorMessage(status));
  std::_Exit(1);
}

struct Application {
  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  std::string name;
  std::string ending;

  void Start(const char* plugin, const char* registration, const char* model, const char* end) {
    name = registration;
    ending = end;
    Check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "application", &env));
    Check(api->RegisterExecutionProviderLibrary(env, registration, plugin));
    const OrtEpDevice* const* devices = nullptr;
    size_t count = 0;
    Check(api->GetEpDevices(env, &devices, &count));
    const OrtEpDevice* ours = nullptr;
    for (size_t i = 0; i < count; ++i) {
      if (std::string(api->EpDevice_EpName(devices[i])) != "CPUExecutionProvider") ours = devices[i];
    }
    Check(api->CreateSessionOptions(&options));
    Check(api->SessionOptionsAppendExecutionProvider_V2(options, env, &ours, 1, nullptr, nullptr, 0));
    Check(api->AddSessionConfigEntry(options, "session.disable_cpu_ep_fallback", "1"));
    Check(api->CreateSession(env, model, options, &session));
  }

  ~Application() {
    if (session == nullptr || ending == "nothing") return;
    api->ReleaseSession(session);
    api->ReleaseSessionOptions(options);
    if (ending == "unregister") Check(api->UnregisterExecutionProviderLibrary(env, name.c_str()));
    api->ReleaseEnv(env);
    std::puts(ending.c_str());
  }
};

Application first;

}  // namespace

int main(int, char** arguments) {
  void* const runtime = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* const base = runtime != nullptr ? dlsym(runtime, "OrtGetApiBase") : nullptr;
  if (base == nullptr) return 2;
  api = reinterpret_cast<const OrtApiBase* (*)()>(base)()->GetApi(24);
  static Application last;
  Application& application = std::string(arguments[5]) == "first" ? first : last;
  application.Start(arguments[2], arguments[3], arguments[4], arguments[6]);
  std::puts("the end of main");
}
