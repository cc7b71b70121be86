<% from "plugin/src/gen/kernel_rows.inc" import rules, row_begin %>
<%= banner %>
#include "abi/control_flow.h"

<% if loops and not device_memory %>
#include <cstring>
<% endif %>
<% if loops or scans %>
#include <memory>
<% endif %>
<% if device_memory and streams and scans %>
#include <utility>
<% endif %>
<% if scans %>
#include <vector>
<% endif %>

#include "abi/bridge.h"
#include "abi/guard.h"
#include "abi/kernel_adapter.h"
<% if scans %>
#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/strides.h"
<% endif %>

namespace <%= ns %> {
namespace {

<%= rules(table, masks) %>
constexpr KernelRow kRows[] = {
<% for row in table.rows %>
    <%= row_begin(row, masks, false) %> nullptr},
<% endfor %>
};

<% if loops %>
// Puts the results of a loop's iterations one behind another.
class LoopHelper final : public OrtLoopKernelHelper {
 public:
  using Struct = OrtLoopKernelHelper;

  explicit LoopHelper(const KernelEntry& entry) noexcept
      : OrtLoopKernelHelper(Stamped<OrtLoopKernelHelper>(*entry.api)), entry_(entry) {
    ConcatOutput = Callback<&LoopHelper::Concatenate>::Call;
    Release = Delete<LoopHelper>;
  }

  const Api& api() const noexcept { return *entry_.api; }

 private:
  // The callback. `stream` is the device's own handle.
  Status Concatenate(void* <% if streams %>stream<% else %>/*stream*/<% endif %>, const OrtValue* const* parts, size_t count, void* output,
                     size_t output_bytes) {
    auto* to = static_cast<unsigned char*>(output);
    for (size_t i = 0; i < count; ++i) {
      Tensor part;
      EP_RETURN_IF_ERROR(ViewTensor(api(), parts[i], &part));
      const size_t bytes = static_cast<size_t>(part.size()) * SizeOf(part.dtype);
      if (bytes > output_bytes) return Failed("a loop's iterations have made more than they should");
      if (bytes == 0) continue;
<% if device_memory and streams %>
      EP_RETURN_IF_ERROR(entry_.runtime->CopyOnDevice(to, part.raw, bytes, stream));
<% elif device_memory %>
      EP_RETURN_IF_ERROR(entry_.runtime->CopyOnDevice(to, part.raw, bytes));
<% else %>
      std::memcpy(to, part.raw, bytes);
<% endif %>
      to += bytes;
      output_bytes -= bytes;
    }
    return Status();
  }

  const KernelEntry& entry_;
};

<% endif %>
<% if scans %>
<% if not (device_memory and streams) %>
// A copy has no call of a kernel that would lend it threads.
class OwnThread final : public Exec {
 public:
  void ParallelFor(int64_t count, int64_t /*cost*/, Range range, void* context) override {
    range(context, 0, count);
  }
  Status Scratch(size_t /*bytes*/, void** /*memory*/) override {
    return NotImplemented("scratch memory of a copy");
  }
  void* Stream() const noexcept override { return nullptr; }
};

<% endif %>
// Exchanges the axes of what a Scan node goes through, when it is not the first one.
class ScanHelper final : public OrtScanKernelHelper {
 public:
  using Struct = OrtScanKernelHelper;

  explicit ScanHelper(const KernelEntry& entry) noexcept
      : OrtScanKernelHelper(Stamped<OrtScanKernelHelper>(*entry.api)), entry_(entry) {
    Transpose = Callback<&ScanHelper::Exchange>::Call;
    Release = Delete<ScanHelper>;
  }

  const Api& api() const noexcept { return *entry_.api; }

 private:
  // The callback: axis i of the output is axis `axes[i]` of the input.
  Status Exchange(const size_t* axes, size_t count, const OrtValue* input, OrtSyncStream* <% if streams %>stream<% else %>/*stream*/<% endif %>,
                  OrtValue* output) {
    Tensor x;
    Tensor y;
    EP_RETURN_IF_ERROR(ViewTensor(api(), input, &x));
    EP_RETURN_IF_ERROR(ViewTensor(api(), output, &y));
    if (count != x.shape.size() || y.shape.size() != count || x.size() != y.size()) {
      return Failed("a scan's values do not have the axes to be exchanged");
    }
    if (x.size() == 0) return Status();
    const std::vector<int64_t> dense = DenseStrides(x.shape);
    std::vector<int64_t> steps(count);
    for (size_t i = 0; i < count; ++i) {
      if (axes[i] >= count) return Failed("a scan's values do not have the axes to be exchanged");
      steps[i] = dense[axes[i]];
    }
    void* to = nullptr;
    EP_ORT(api(), ort->GetTensorMutableData(output, &to));
<% if device_memory %>
    to = entry_.runtime->KernelAddress(to);
    x.raw = entry_.runtime->KernelAddress(x.raw);
    if (to == nullptr || x.raw == nullptr) return Failed("a tensor is not in the device's memory");
<% endif %>
    const size_t bytes = SizeOf(x.dtype);
<% if device_memory and streams %>
    void* queue = nullptr;
    if (stream != nullptr) queue = api().ort->SyncStream_GetHandle(stream);
    auto work = [=, from = x.raw, shape = y.shape, steps = std::move(steps)](Exec& exec) {
      return CopyStrided(exec, to, from, shape, steps, bytes);
    };
    return entry_.runtime->Launch(queue, std::move(work));
<% else %>
    OwnThread exec;
    return CopyStrided(exec, to, x.raw, y.shape, steps, bytes);
<% endif %>
  }

  const KernelEntry& entry_;
};

<% endif %>
<% for name in makers %>
<% if name == "If" %>
OrtStatus* ORT_API_CALL MakeIf(void* entry, const OrtKernelInfo* info,
                               OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const KernelEntry*>(entry)->api;
  *kernel = nullptr;
  return api.ep->CreateIfKernel(info, kernel);
}
<% else %>
OrtStatus* ORT_API_CALL Make<%= name %>(void* entry, const OrtKernelInfo* info,
                               OrtKernelImpl** kernel) noexcept {
  const auto& registered = *static_cast<const KernelEntry*>(entry);
  return GuardStatus(*registered.api->ort, [&]() -> Status {
    *kernel = nullptr;
    auto helper = std::make_unique<<%= name %>Helper>(registered);
    // The helper is ORT's from here on, which releases it.
    return FromOrt(*registered.api, registered.api->ep->Create<%= name %>Kernel(info, helper.release(), kernel));
  });
}
<% endif %>

<% endfor %>
}  // namespace

KernelTable ControlFlow() noexcept { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

bool IsControlFlow(std::string_view domain, std::string_view op) noexcept {
  return domain.empty() && (<% for name in makers %>op == <%= name | cpp_string %><% if not loop.last %> || <% endif %><% endfor %>);
}

OrtKernelCreateFunc FindMaker(const KernelRow& row) noexcept {
  const std::string_view op = row.op;
<% for name in makers %>
  if (op == <%= name | cpp_string %>) return Make<%= name %>;
<% endfor %>
  return nullptr;
}

}  // namespace <%= ns %>
