// The objects that the target handed out: their callbacks stand in the shim's hands, in place, and
// what they were is kept aside by the object's address.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "platform.h"
#include "slots.h"
#include "state.h"

namespace shim {

template <auto Slot, int Id>
struct Callback;

template <class Member>
struct SlotType;

template <class S, class F>
struct SlotType<F S::*> {
  using Struct = S;
  using Pointer = F;
};

// What stood in that slot of the object that was handed out last: all objects of a class share it.
template <auto Slot>
inline std::atomic<typename SlotType<decltype(Slot)>::Pointer> g_last{nullptr};

template <class S>
struct Held {
  S original{};
  uint32_t level = 0;  // the slots up to here are looked at
  uint64_t handed_out = 0;
};

template <class S>
struct Objects {
  std::shared_mutex mutex;
  std::unordered_map<const S*, Held<S>> held;
};

template <class S>
Objects<S>& ObjectsOf() {
  static Objects<S> objects;
  return objects;
}

// Puts the shim's callbacks into an object, and remembers the object's own.
template <class S>
struct Swap {
  Held<S>& held;
  int set = 0;
  int bad = 0;
  int missing = -1;

  template <auto Slot, int Id>
  void Visit(S& object) {
    auto& now = object.*Slot;
    if (now == nullptr) {
      held.original.*Slot = nullptr;
      if (kFunctions[Id].is_needed) missing = Id;
      return;
    }
    ++set;
    if (now == &Callback<Slot, Id>::Call) {  // it was handed out before, or is a copy of one
      if (held.original.*Slot == nullptr) held.original.*Slot = g_last<Slot>.load();
      return;
    }
    if (now != g_last<Slot>.load() && !IsCode(reinterpret_cast<const void*>(now))) {
      ++bad;
      return;
    }
    held.original.*Slot = now;
    g_last<Slot> = now;
    now = &Callback<Slot, Id>::Call;
  }
};

// Gives an object its own callbacks back.
template <class S>
struct Restore {
  const Held<S>& held;

  template <auto Slot, int Id>
  void Visit(S& object) {
    if (object.*Slot == &Callback<Slot, Id>::Call) object.*Slot = held.original.*Slot;
  }
};

// Counts what stands in the slots of an object that is not to be written to.
template <class S>
struct Look {
  int set = 0;

  template <auto Slot, int Id>
  void Visit(S& object) {
    if (object.*Slot != nullptr) ++set;
  }
};

// Notes the stamp of a struct; returns up to which level its slots may be looked at.
inline uint32_t LevelOf(StructId id, uint32_t stamp, int function) {
  const uint32_t level = Set().level.load();
  const StructFacts& facts = kStructs[static_cast<int>(id)];
  const std::string text = std::string(facts.name) + " is stamped " + std::to_string(stamp);
  if (stamp > level) {
    Find("bad-stamp", function, text + ", the runtime is of level " + std::to_string(level));
  } else if (stamp == 0) {
    Find("bad-stamp", function, text);
  }
  if (stamp > level) return std::max(facts.since, kOldest);  // the rest may not be there at all
  if (stamp == 0) return std::min(facts.since, level);
  return stamp < facts.since ? 0 : stamp;
}

// The target hands out an object by `function`.
template <class S>
void Adopt(S* object, int function) {
  if (object == nullptr) return;
  constexpr StructId id = kStructOf<S>;
  CountOf(id).created.fetch_add(1, std::memory_order_relaxed);
  const uint32_t stamp = StampOf(*object);
  const uint32_t level = LevelOf(id, stamp, function);
  if (!IsWritable(object)) {
    Look<S> look;
    VisitSlots(*object, level, look);
    NoteStamp(id, stamp, look.set, 0);
    return;
  }
  Objects<S>& objects = ObjectsOf<S>();
  std::unique_lock<std::shared_mutex> lock(objects.mutex);
  Held<S>& held = objects.held[object];
  ++held.handed_out;
  held.level = level;
  Swap<S> swap{held};
  VisitSlots(*object, level, swap);
  lock.unlock();
  NoteStamp(id, stamp, swap.set, swap.bad);
  if (swap.missing >= 0) {
    Find("missing-callback", function,
         std::string(kFunctions[swap.missing].name) + " is null, and runtimes call it unasked");
  }
  if (swap.bad > 0) {
    Find("bad-slot", function,
         std::string(kStructs[static_cast<int>(id)].name) + " holds " + std::to_string(swap.bad) +
             " callbacks that are neither null nor code");
  }
}

// The runtime gives an object back to the target: from now on its address may be anybody's.
template <class S>
void Forget(S* object) {
  if (object == nullptr) return;
  CountOf(kStructOf<S>).released.fetch_add(1, std::memory_order_relaxed);
  Objects<S>& objects = ObjectsOf<S>();
  const std::unique_lock<std::shared_mutex> lock(objects.mutex);
  const auto found = objects.held.find(object);
  if (found == objects.held.end() || --found->second.handed_out > 0) return;
  Restore<S> restore{found->second};
  VisitSlots(*object, found->second.level, restore);
  objects.held.erase(found);
}

// The runtime has no use for an object any more, and the target may have freed it already.
template <class S>
void Lose(const S* object) {
  CountOf(kStructOf<S>).released.fetch_add(1, std::memory_order_relaxed);
  Objects<S>& objects = ObjectsOf<S>();
  const std::unique_lock<std::shared_mutex> lock(objects.mutex);
  const auto found = objects.held.find(object);
  if (found != objects.held.end() && --found->second.handed_out == 0) objects.held.erase(found);
}

// What the object itself has in a slot.
template <auto Slot, class S>
auto OriginalOf(const S* object) {
  Objects<S>& objects = ObjectsOf<S>();
  {
    const std::shared_lock<std::shared_mutex> lock(objects.mutex);
    const auto found = objects.held.find(object);
    if (found != objects.held.end() && found->second.original.*Slot != nullptr) {
      return found->second.original.*Slot;
    }
  }
  return g_last<Slot>.load();
}

}  // namespace shim
