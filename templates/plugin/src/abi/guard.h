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

template <auto Method>
struct Callback;

// Class::Struct is the ABI struct that the class derives from.
template <class Class, class Result, class... Args, Result (Class::*Method)(Args...)>
struct Callback<Method> {
  using AbiResult = std::conditional_t<std::is_same_v<Result, Status>, OrtStatus*, Result>;
  static AbiResult ORT_API_CALL Call(typename Class::Struct* self, Args... args) noexcept {
    auto* object = static_cast<Class*>(self);
    const auto body = [&] { return (object->*Method)(args...); };
    if constexpr (std::is_same_v<Result, Status>) {
      return GuardStatus(*object->api().ort, body);
    } else {
      return GuardValue(body);
    }
  }
};

template <class Class, class Result, class... Args, Result (Class::*Method)(Args...) const>
struct Callback<Method> {
  static Result ORT_API_CALL Call(const typename Class::Struct* self, Args... args) noexcept {
    return GuardValue([&] { return (static_cast<const Class*>(self)->*Method)(args...); });
  }
};

// The callback that ends an object's life.
template <class Class>
void ORT_API_CALL Delete(typename Class::Struct* self) noexcept {
  GuardValue([&] { delete static_cast<Class*>(self); });
}

}  // namespace <%= ns %>
