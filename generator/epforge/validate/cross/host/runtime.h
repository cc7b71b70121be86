// The runtime's C API, and what C++ adds to it.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_RUNTIME_H_
#define EPFORGE_VALIDATE_CROSS_HOST_RUNTIME_H_

#include <onnxruntime_c_api.h>

#include <memory>
#include <stdexcept>
#include <string>

inline const OrtApi* ort = nullptr;

using Path = std::basic_string<ORTCHAR_T>;

// The system's spelling of a path in UTF-8.
Path Native(const std::string& path);

// An error of the runtime's, or of the library's that the runtime passes on.
struct RuntimeError : std::runtime_error {
  RuntimeError(OrtErrorCode the_code, const char* text)
      : std::runtime_error(text), code(the_code) {}
  OrtErrorCode code;
};

inline void Check(OrtStatus* status) {
  if (status == nullptr) return;
  const RuntimeError error(ort->GetErrorCode(status), ort->GetErrorMessage(status));
  ort->ReleaseStatus(status);
  throw error;
}

template <typename T>
using Owned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

template <typename T>
Owned<T> Own(T* item, void(ORT_API_CALL* release)(T*)) {
  return Owned<T>(item, release);
}

#endif  // EPFORGE_VALIDATE_CROSS_HOST_RUNTIME_H_
