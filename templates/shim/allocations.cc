#include "allocations.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "functions.h"
#include "json.h"
#include "platform.h"

namespace shim {
namespace {

constexpr size_t kMostGroups = 20;

template <class F>
F HookOf(const char* name) {
  return reinterpret_cast<F>(SymbolOfAny(name));
}

struct Sum {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

using Sums = std::map<std::pair<const void*, int>, Sum>;  // by place and callback

void See(void* state, const void* caller, size_t size, int function) {
  Sum& sum = (*static_cast<Sums*>(state))[{caller, function}];
  ++sum.count;
  sum.bytes += size;
}

// Where in the target's file; by name where it has names.
std::string PlaceOf(const void* caller) {
  const std::ptrdiff_t offset = OffsetInImage(caller);
  const std::string name = NameAt(caller);
  if (!name.empty()) return name;
  if (offset < 0) return "outside of the library";
  char text[32];
  std::snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(offset));
  return text;
}

}  // namespace

int InsideTarget(int now) {
  static const auto hook = HookOf<int (*)(int)>("EpforgeBlocksInside");
  return hook == nullptr ? 0 : hook(now);
}

void FollowAllocations() {
  const auto hook = HookOf<void (*)(uintptr_t, uintptr_t)>("EpforgeBlocksImage");
  const Image image = NotedImage();
  if (hook != nullptr) hook(image.first, image.end);
}

bool FailAllocation(int64_t nth) {
  const auto hook = HookOf<void (*)(int64_t)>("EpforgeBlocksFail");
  if (hook != nullptr) hook(nth);
  return hook != nullptr;
}

int64_t AllocationsUntilFailure() {
  const auto hook = HookOf<int64_t (*)()>("EpforgeBlocksLeft");
  return hook == nullptr ? 0 : hook();
}

std::string LiveBlocksJson() {
  using Each = size_t (*)(void (*)(void*, const void*, size_t, int), void*);
  const Each each = HookOf<Each>("EpforgeBlocksEach");
  if (each == nullptr) return "{\"error\": \"the allocation hooks are not loaded\"}";
  Sums sums;
  const size_t lost = each(&See, &sums);
  std::vector<std::pair<Sums::key_type, Sum>> groups(sums.begin(), sums.end());
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  Sum all;
  for (const auto& [key, sum] : groups) {
    all.count += sum.count;
    all.bytes += sum.bytes;
  }
  JsonArray largest;
  for (size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    const auto& [key, sum] = groups[i];
    const std::ptrdiff_t offset = OffsetInImage(key.first);
    JsonObject one;
    one.Add("place", PlaceOf(key.first).c_str());
    one.Add("offset", static_cast<uint64_t>(std::max(std::ptrdiff_t{0}, offset)));
    one.Add("callback", kFunctions[key.second - 1].name);
    one.Add("count", sum.count);
    one.Add("bytes", sum.bytes);
    largest.AddRaw(one.Text());
  }
  JsonObject answer;
  answer.Add("count", all.count);
  answer.Add("bytes", all.bytes);
  answer.Add("lost", uint64_t{lost});
  answer.AddRaw("groups", largest.Text());
  return answer.Text();
}

}  // namespace shim
