<%= banner %>
#include "runtime.h"

#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "failure.h"
#include "files.h"
#include "library.h"
#include "package.h"

namespace sample {
namespace {

constexpr char kWhat[] = "ONNX Runtime's library";

std::filesystem::path RuntimeFile(const std::string& given) {
  if (!given.empty()) return GivenFile(given, kWhat, "--runtime");
  return FindLibrary({"libonnxruntime.so.1", "libonnxruntime.so", "libonnxruntime.dylib",
                      "onnxruntime.dll"},
                     kBuiltOrt, kWhat, "--runtime");
}

// 1.24.4 as numbers: as texts, 1.9 is newer than 1.24.
std::array<int, 3> Numbers(const char* version) {
  std::array<int, 3> numbers{};
  for (int& number : numbers) {
    char* end = nullptr;
    number = static_cast<int>(std::strtol(version, &end, 10));
    if (*end != '.') break;
    version = end + 1;
  }
  return numbers;
}

}  // namespace

std::string OpenRuntime(const std::string& given) {
  const std::filesystem::path file = RuntimeFile(given);
  Library library(file, kWhat);
  using GetBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get = reinterpret_cast<GetBase>(library.Find("OrtGetApiBase"));
  if (get == nullptr) {
    throw Failure(file.string() +
                  " is not ONNX Runtime (it exports no OrtGetApiBase): correct --runtime");
  }
  library.Keep();
  const OrtApiBase& base = *get();
  const std::string version = base.GetVersionString();
  const std::array<int, 3> numbers = Numbers(version.c_str());
  // The older of the two levels: what this program was compiled with, and what is there.
  const auto level = std::min(static_cast<uint32_t>(numbers[1]), uint32_t{ORT_API_VERSION});
  const OrtApi* api = base.GetApi(level);
  if (numbers[0] != 1 || numbers < Numbers(kMinimumOrt) || api == nullptr) {
    throw Failure(file.string() + " is ONNX Runtime " + version + ", but " + kEpName + " needs " +
                  kMinimumOrt + " or a newer 1.x: install one, or name it with --runtime");
  }
  Ort::InitApi(api);
  return version + " (" + file.string() + ")";
}

}  // namespace sample
