<%= banner %>
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/api.h"
#include "gen/api/status.h"
#include "gen/graph/graph.h"

struct OrtEpContextConfig;  // opaque; older headers do not know it

namespace <%= ns %> {

// What the application wants done with the data of compiled models instead of reading and writing
// files: its callbacks, if it gave any.
class ContextData {
 public:
  // Two bits: that data can come from, and go to, callbacks.
  static constexpr uint32_t kSupport = 3;

  explicit ContextData(const Api& api) noexcept : api_(api) {}
  ContextData(const ContextData&) = delete;
  ContextData& operator=(const ContextData&) = delete;
  ~ContextData();
  Status Init(const OrtSessionOptions* session);

  bool reads() const noexcept { return read_ != nullptr; }
  bool writes() const noexcept { return write_ != nullptr; }
  // The bytes are aligned to kBlobAlignment.
  Status Read(const std::string& name, SharedBytes* bytes) const;
  Status Write(const std::string& name, const std::vector<unsigned char>& bytes) const;

 private:
  // As ORT declares them, in headers that may be newer than those at hand.
  using ReadFunction = OrtStatus*(ORT_API_CALL*)(void* state, const char* name,
                                                 OrtAllocator* allocator, void** data,
                                                 size_t* size);
  using WriteFunction = OrtStatus*(ORT_API_CALL*)(void* state, const char* name, const void* data,
                                                  size_t size);
  // How a session's callbacks are asked for; all null where the runtime cannot be asked.
  struct Access {
    OrtStatus*(ORT_API_CALL* get_config)(const OrtSessionOptions*, OrtEpContextConfig**) = nullptr;
    void(ORT_API_CALL* release_config)(OrtEpContextConfig*) = nullptr;
    OrtStatus*(ORT_API_CALL* get_read)(const OrtEpContextConfig*, ReadFunction*, void**) = nullptr;
    OrtStatus*(ORT_API_CALL* get_write)(const OrtEpContextConfig*, WriteFunction*, void**) = nullptr;
  };
  static Access Find(const Api& api) noexcept;

  const Api& api_;
  Access access_;
  OrtEpContextConfig* config_ = nullptr;
  ReadFunction read_ = nullptr;
  void* read_state_ = nullptr;
  WriteFunction write_ = nullptr;
  void* write_state_ = nullptr;
};

}  // namespace <%= ns %>
