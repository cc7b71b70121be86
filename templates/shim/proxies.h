// What the target calls instead of a function of the runtime.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "handles.h"
#include "overrides.h"
#include "state.h"
#include "tables.h"

namespace shim {

// The findings about arguments, counted from 0; -1 for none.
void FindArguments(int function, int lacking, int stale);

// The target called a function that the runtime does not have.
void FindTrapped(int function);

// The status that answers in the runtime's place; the target owns it.
OrtStatus* Refusal(int function, const char* why);

template <class T>
inline constexpr Kind kKindBehind = kKindOf<std::remove_cv_t<std::remove_pointer_t<T>>>;

template <int Id, class T>
bool Lacking(size_t index, T argument) {
  if constexpr (std::is_pointer_v<T>) {
    return argument == nullptr && (kFunctions[Id].roles[index] & kRequired) != 0;
  }
  return false;
}

template <int Id, class T>
bool Stale(size_t index, T argument) {
  constexpr Kind kind = kKindBehind<T>;
  if constexpr (std::is_pointer_v<T> && kind != Kind::kNone) {
    return argument != nullptr && (kFunctions[Id].roles[index] & kReleases) == 0 &&
           WasReleased(kind, argument);
  }
  return false;
}

// Are the arguments such that the runtime may see them?
template <int Id, size_t... I, class... A>
bool Acceptable(std::index_sequence<I...>, A... args) {
  int lacking = -1, stale = -1;
  ((Lacking<Id>(I, args) ? void(lacking = static_cast<int>(I)) : void()), ...);
  ((Stale<Id>(I, args) ? void(stale = static_cast<int>(I)) : void()), ...);
  if (lacking < 0 && stale < 0) return true;
  FindArguments(Id, lacking, stale);
  return false;
}

// A handle among the arguments changes its owner.
template <int Id, class T>
void Moves(size_t index, T argument) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    const uint8_t role = kFunctions[Id].roles[index];
    if constexpr (std::is_pointer_v<Pointee> && !std::is_const_v<std::remove_pointer_t<Pointee>>) {
      if constexpr (kKindBehind<Pointee> != Kind::kNone) {
        if ((role & kMakes) != 0 && argument != nullptr) Made(kKindBehind<Pointee>, *argument, Id);
      }
    } else if constexpr (kKindBehind<T> != Kind::kNone) {
      if ((role & kTakes) != 0) Given(kKindBehind<T>, argument);
    }
  }
}

template <int Id, size_t... I, class... A>
void AllMove(std::index_sequence<I...>, A... args) {
  (Moves<Id>(I, args), ...);
}

// An array of handles that the runtime takes over. It may put null in place of each, so what they
// were is kept.
struct Array {
  Kind kind;
  const void* const* now;
  std::vector<const void*> before;

  // The call is over: after success all are the runtime's, else those that it put null for.
  void Settle(bool success) const {
    for (size_t i = 0; i < before.size(); ++i) {
      if (success || now[i] == nullptr) Given(kind, before[i]);
    }
  }
};

template <class T>
size_t AsLength(T value) {
  if constexpr (std::is_same_v<T, size_t>) return value;
  return 0;
}

template <int Id, class T>
void Keep(std::vector<Array>& arrays, size_t index, T handles, size_t count) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<Pointee> && kKindBehind<Pointee> != Kind::kNone) {
      if ((kFunctions[Id].roles[index] & kTakesEach) == 0 || handles == nullptr) return;
      arrays.push_back({kKindBehind<Pointee>, reinterpret_cast<const void* const*>(handles),
                        std::vector<const void*>(handles, handles + count)});
    }
  }
}

template <int Id>
constexpr bool TakesArrays() {
  for (const uint8_t role : kFunctions[Id].roles) {
    if ((role & kTakesEach) != 0) return true;
  }
  return false;
}

template <int Id, size_t... I, class... A>
std::vector<Array> ArraysOf(std::index_sequence<I...>, A... args) {
  std::vector<Array> arrays;
  const size_t lengths[] = {AsLength(args)..., 0};  // the argument after an array is its length
  (Keep<Id>(arrays, I, args, lengths[I + 1]), ...);
  return arrays;
}

template <auto Slot, int Id>
struct Proxy;

template <class Table, class R, class... A, R (*Table::*Slot)(A...), int Id>
struct Proxy<Slot, Id> {
  static constexpr auto kIndices = std::index_sequence_for<A...>();
  static constexpr bool kIsStatus = std::is_same_v<R, OrtStatus*>;
  static constexpr bool kReleasesFirst = (kFunctions[Id].roles[0] & kReleases) != 0;

  static R Call(A... args) {
    Enter call(Id, false, nullptr);
    if (!Acceptable<Id>(kIndices, args...)) return Refuse(call, "with a wrong argument");
    if constexpr (kIsStatus) {
      if (TurnToFail(Id)) return Refuse(call, "by epforge's shim, as it was asked to");
    }
    Linger(Id);
    if constexpr (kReleasesFirst) {
      Release(args...);
    } else if constexpr (std::is_void_v<R>) {
      Override<Slot>::Call(Real<Table>()->*Slot, args...);
      AllMove<Id>(kIndices, args...);
    } else if constexpr (TakesArrays<Id>()) {
      const std::vector<Array> arrays = ArraysOf<Id>(kIndices, args...);
      R answer = Override<Slot>::Call(Real<Table>()->*Slot, args...);
      for (const Array& array : arrays) array.Settle(answer == nullptr);
      return Over(call, answer, args...);
    } else {
      R answer = Override<Slot>::Call(Real<Table>()->*Slot, args...);
      if constexpr (kIsStatus) {
        return Over(call, answer, args...);
      } else if constexpr (std::is_pointer_v<R>) {
        if constexpr (kIsTable<std::remove_cv_t<std::remove_pointer_t<R>>>) return Proxied(answer);
      }
      return answer;
    }
  }

  // Stands where the runtime has no function.
  static R Trap(A...) {
    Enter call(Id, false, nullptr);
    FindTrapped(Id);
    return Refuse(call, "though the runtime does not have it");
  }

 private:
  // A call that answers with a status is over.
  static OrtStatus* Over(Enter& call, OrtStatus* answer, A... args) {
    Made(Kind::kStatus, answer, Id);
    if (answer == nullptr) {
      AllMove<Id>(kIndices, args...);
    } else if (Id != kCreateStatus) {
      call.Failed();
    }
    return answer;
  }

  // Answers in the runtime's place.
  static R Refuse(Enter& call, const char* why) {
    call.Failed();
    if constexpr (kIsStatus) {
      return Refusal(Id, why);
    } else if constexpr (!std::is_void_v<R>) {
      return R{};
    }
  }

  template <class T>
  static void Release(T* handle) {
    constexpr Kind kind = kKindOf<T>;
    static_assert(kind != Kind::kNone);
    if (handle == nullptr) return (Real<Table>()->*Slot)(handle);
    const Verdict verdict = Released(kind, handle, Id, [](void* kept) {
      (Real<Table>()->*Slot)(static_cast<T*>(kept));
    });
    if (verdict == Verdict::kRelease) Override<Slot>::Call(Real<Table>()->*Slot, handle);
  }
};

// Puts the proxy of a function in its place: null where the runtime has null, a trap where the
// runtime does not have it.
template <auto Slot, int Id, class Table>
void Put(Table& table, const Table& real, uint32_t level) {
  if (level < kFunctions[Id].since) {
    table.*Slot = &Proxy<Slot, Id>::Trap;
  } else {
    table.*Slot = real.*Slot == nullptr ? nullptr : &Proxy<Slot, Id>::Call;
  }
}

// Stands where the runtime has no function, and nobody knows its arguments.
template <int Id>
void* UnknownTrap() {
  Enter call(Id, false, nullptr);
  FindTrapped(Id);
  return Refusal(Id, "though the runtime does not have it");
}

// The same for a function whose parameters are not known: it is the runtime's own.
template <auto Slot, int Id, class Table>
void PutUnknown(Table& table, const Table& real, uint32_t level) {
  table.*Slot = level < kFunctions[Id].since ? reinterpret_cast<Unknown>(&UnknownTrap<Id>)
                                             : real.*Slot;
}

}  // namespace shim
