// What the runtime calls instead of a callback of the target.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "handles.h"
#include "hooks.h"
#include "objects.h"
#include "state.h"
#include "statuses.h"

namespace shim {

// An exception left a callback: notes it, and makes a status of it.
void Escaped(int function, const char* what);

// A callback that succeeded has no result.
void LacksResult(int function);

// A text that a callback answers with: "" for null, which no runtime looks for.
const char* Readable(int function, const char* text);

OrtStatus* AsStatus(int function, const char* what);

// Calls the target: what it throws ends here, and the status that it answers is looked at.
template <int Id, class R, class F, class After>
R Guarded(const void* object, F&& call, After&& after) {
  Enter enter(Id, true, object);
  std::string what;
  try {
    if constexpr (std::is_void_v<R>) {
      call();
      enter.Returned();
      after();
      return;
    } else if constexpr (std::is_same_v<R, OrtStatus*>) {
      OrtStatus* status = call();
      enter.Returned();
      status = Leaving(status, Id);
      if (status == nullptr) {
        after();
      } else {
        enter.Failed();
      }
      return status;
    } else {
      R answer = call();
      enter.Returned();
      if constexpr (std::is_same_v<R, const char*>) answer = Readable(Id, answer);
      after();
      return answer;
    }
  } catch (const std::exception& error) {
    enter.Returned();
    what = error.what();
  } catch (...) {
    enter.Returned();
    what = "of no standard type";
  }
  enter.Failed();
  Escaped(Id, what.c_str());
  if constexpr (std::is_same_v<R, OrtStatus*>) {
    return AsStatus(Id, what.c_str());
  } else if constexpr (!std::is_void_v<R>) {
    return R{};
  }
}

// What comes out through an argument: an object of the target's is looked at, a handle changes its
// owner.
template <int Id, class T>
void ComesOut(size_t index, T argument) {
  if constexpr (std::is_pointer_v<T>) {
    using Out = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<Out> && !std::is_const_v<std::remove_pointer_t<Out>>) {
      using S = std::remove_pointer_t<Out>;
      if (argument == nullptr) return;
      if (*argument == nullptr && (kFunctions[Id].roles[index] & kYields) != 0) LacksResult(Id);
      if constexpr (kStructOf<S> != StructId::kNone) {
        Adopt(*argument, Id);
      } else if constexpr (kKindOf<S> != Kind::kNone) {
        Given(kKindOf<S>, *argument);
      }
    }
  }
}

template <int Id, size_t... I, class... A>
void AllComeOut(std::index_sequence<I...>, A... args) {
  (ComesOut<Id>(I + 1, args), ...);
}

template <class S, class R, class Self, class... A, R (*S::*Slot)(Self, A...), int Id>
struct Callback<Slot, Id> {
  static R Call(Self self, A... args) {
    const auto original = ObjectHook<Slot>::Original(self);
    Hook<Slot>::Before(self, args...);
    return Guarded<Id, R>(
        static_cast<const void*>(self), [&] { return original(self, args...); },
        [&] {
          if constexpr (!Hook<Slot>::kKnowsOuts) AllComeOut<Id>(std::index_sequence_for<A...>(), args...);
          Hook<Slot>::After(self, args...);
        });
  }
};

}  // namespace shim
