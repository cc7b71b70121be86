<%= banner %>
#include "abi/graphics_queues.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace <%= ns %> {
namespace {

static_assert(static_cast<int>(GraphicsApi::kD3d12) == ORT_GRAPHICS_API_D3D12 &&
              static_cast<int>(GraphicsApi::kVulkan) == ORT_GRAPHICS_API_VULKAN);

constexpr uint32_t kSince = 25;  // of the configuration

Status CheckConfig(const Api& api, const OrtGraphicsInteropConfig* config, GraphicsApi* graphics) {
  const std::string call = "InitGraphicsInterop: ";
  if (config == nullptr) return InvalidArgument(call + "there is no configuration");
  if (config->version < kSince) {
    return InvalidArgument(call + "the configuration's version is " +
                           std::to_string(config->version) + "; it must be ORT_API_VERSION");
  }
  int32_t number = 0;  // which need not be one that this code knows
  static_assert(sizeof(config->graphics_api) == sizeof(number));
  std::memcpy(&number, &config->graphics_api, sizeof(number));
  if (number == ORT_GRAPHICS_API_NONE) return InvalidArgument(call + "graphics_api is NONE");
  if (number != ORT_GRAPHICS_API_D3D12 && number != ORT_GRAPHICS_API_VULKAN) {
    return NotImplemented(call + "graphics API " + std::to_string(number));
  }
  *graphics = static_cast<GraphicsApi>(number);
  // There are none, so they are an error rather than ignored.
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  const OrtKeyValuePairs* options = config->additional_options;
  if (options != nullptr) api.ort->GetKeyValuePairs(options, &keys, &values, &count);
  return count == 0 ? Status() : InvalidArgument(call + "unknown option: " + keys[0]);
}

}  // namespace

Status GraphicsQueues::Open(const Api& api, Runtime& runtime, const OrtMemoryInfo* memory,
                            const OrtGraphicsInteropConfig* config) {
  GraphicsApi graphics{};
  EP_RETURN_IF_ERROR(CheckConfig(api, config, &graphics));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queues_.count(memory) != 0) {
    return InvalidArgument("InitGraphicsInterop: that has been done for this device already");
  }
  auto queue = std::make_shared<Queue>(runtime);
  EP_RETURN_IF_ERROR(runtime.AdoptQueue(graphics, config->command_queue, &queue->stream));
  queues_[memory] = std::move(queue);
  return Status();
}

Status GraphicsQueues::Close(const OrtMemoryInfo* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(memory);
  if (found == queues_.end()) {
    return InvalidArgument("DeinitGraphicsInterop: nothing has been set up for this device");
  }
  const long streams = found->second.use_count() - 1;
  if (streams > 0) {
    return InvalidArgument("DeinitGraphicsInterop: streams are in use, of sessions or of the "
                           "application: " + std::to_string(streams) +
                           ". Release them first");
  }
  queues_.erase(found);
  return Status();
}

std::shared_ptr<const void> GraphicsQueues::Use(const OrtMemoryInfo* memory, Stream* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(memory);
  if (found == queues_.end()) return nullptr;
  *stream = found->second->stream;
  return found->second;
}

}  // namespace <%= ns %>
