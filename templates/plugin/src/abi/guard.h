<%= banner %>
#pragma once

#include <exception>
#include <type_traits>

#include "abi/bridge.h"

namespace <%= ns %> {

// No exception may leave a function that ORT calls. What ORT is given is always
// Callback<&Class::Method>::Call, which picks the guard by the kind of the method's result, so a
// callback without a guard cannot be written.

// A status: an exception becomes an error.
template <class Body>
OrtStatus* GuardStatus(const OrtApi& ort, Body body) noexcept {
  try {
    return ToOrt(ort, body());
  } catch (const std::exception& error) {
    return ort.CreateStatus(ORT_EP_FAIL, error.what());
  } catch (...) {
    return ort.CreateStatus(ORT_EP_FAIL, "unknown exception");
  }
}

// Anything else: null, false or zero after an exception; nothing where nothing is returned, as in
// the callbacks that release things. There is nobody to tell.
template <class Body, class Result = std::invoke_result_t<Body>>
Result GuardValue(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return Result();
  }
}

// Struct is the ABI struct that the class derives from; const where the method is.
template <auto Method, class Class, class Struct, class Result, class... Args>
struct GuardedCall {
  using AbiResult = std::conditional_t<std::is_same_v<Result, Status>, OrtStatus*, Result>;
  static AbiResult ORT_API_CALL Call(Struct* self, Args... args) noexcept {
    auto* object = static_cast<Class*>(self);
    const auto body = [&] { return (object->*Method)(args...); };
    if constexpr (std::is_same_v<Result, Status>) {
      return GuardStatus(*object->api().ort, body);
    } else {
      return GuardValue(body);
    }
  }
};

template <auto Method>
struct Callback;

template <class Class, class Result, class... Args, Result (Class::*Method)(Args...)>
struct Callback<Method> : GuardedCall<Method, Class, typename Class::Struct, Result, Args...> {};

template <class Class, class Result, class... Args, Result (Class::*Method)(Args...) const>
struct Callback<Method>
    : GuardedCall<Method, const Class, const typename Class::Struct, Result, Args...> {};

// The callback that ends an object's life.
template <class Class>
void ORT_API_CALL Delete(typename Class::Struct* self) noexcept {
  GuardValue([&] { delete static_cast<Class*>(self); });
}

}  // namespace <%= ns %>
