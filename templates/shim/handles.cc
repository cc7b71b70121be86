#include "handles.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "state.h"

namespace shim {
namespace {

enum class Fate : uint8_t { kReleased, kKept, kGiven };

struct Origin {
  int function;  // that made it
  int callback;  // in which the target was; -1 for none
};

struct Kept {
  Kind kind;
  void* handle;
  Releaser releaser;
};

struct Key {
  Kind kind;
  const void* handle;
  bool operator==(const Key& other) const {
    return kind == other.kind && handle == other.handle;
  }
};

struct Hash {
  size_t operator()(const Key& key) const {
    return std::hash<const void*>()(key.handle) * 31 + static_cast<size_t>(key.kind);
  }
};

struct Shard {
  std::mutex mutex;
  std::unordered_map<Key, Origin, Hash> live;
  std::unordered_map<Key, Fate, Hash> past;
};

constexpr size_t kShards = 16;
constexpr size_t kMostKept = 256;

Shard g_shards[kShards];
std::mutex g_kept_mutex;
std::deque<Kept> g_kept;

Shard& ShardOf(const Key& key) { return g_shards[(Hash()(key) >> 4) % kShards]; }

const char* NameOf(Kind kind) { return kKinds[static_cast<int>(kind)].name; }

// Really releases a handle that was kept: its address may be anybody's then.
void LetGo(const Kept& kept) {
  const Key key{kept.kind, kept.handle};
  Shard& shard = ShardOf(key);
  {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    shard.past.erase(key);
  }
  kept.releaser(kept.handle);
}

void Keep(const Kept& kept) {
  Kept oldest{Kind::kNone, nullptr, nullptr};
  {
    const std::lock_guard<std::mutex> lock(g_kept_mutex);
    g_kept.push_back(kept);
    if (g_kept.size() > kMostKept) {
      oldest = g_kept.front();
      g_kept.pop_front();
    }
  }
  if (oldest.handle != nullptr) LetGo(oldest);
}

// A handle that is not the target's is released: what is wrong with that, if anything certainly is.
Verdict NotTheirs(Kind kind, const Fate* fate, int function) {
  const std::string name = NameOf(kind);
  const std::string by = std::string(" by ") + kFunctions[function].name;
  if (fate != nullptr && *fate == Fate::kKept) {
    Find("released-twice", function, name + " is released a second time" + by);
    return Verdict::kNever;
  }
  if (!kKinds[static_cast<int>(kind)].closed) return Verdict::kRelease;
  if (fate != nullptr && *fate == Fate::kReleased) {
    Find("released-twice", function, name + " is released a second time" + by);
  } else if (fate != nullptr) {
    Find("released-twice", function, name + " is released" + by + " after the runtime took it over");
  } else {
    Find("unknown-handle", function, name + " that was never the library's is released" + by);
  }
  return Verdict::kNever;
}

}  // namespace

void Made(Kind kind, const void* handle, int function) {
  if (handle == nullptr) return;
  CountOf(kind).created.fetch_add(1, std::memory_order_relaxed);
  const Key key{kind, handle};
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mutex);
  shard.past.erase(key);
  shard.live[key] = {function, InnermostCallback()};
}

Verdict Released(Kind kind, void* handle, int function, Releaser releaser) {
  const Key key{kind, handle};
  const bool keep = kKinds[static_cast<int>(kind)].is_pure;
  Shard& shard = ShardOf(key);
  {
    std::unique_lock<std::mutex> lock(shard.mutex);
    if (shard.live.erase(key) == 0) {
      const auto found = shard.past.find(key);
      const bool known = found != shard.past.end();
      const Fate fate = known ? found->second : Fate::kReleased;
      lock.unlock();
      return NotTheirs(kind, known ? &fate : nullptr, function);
    }
    shard.past[key] = keep ? Fate::kKept : Fate::kReleased;
  }
  CountOf(kind).released.fetch_add(1, std::memory_order_relaxed);
  if (!keep) return Verdict::kRelease;
  Keep({kind, handle, releaser});
  return Verdict::kLater;
}

bool Given(Kind kind, const void* handle) {
  if (handle == nullptr) return false;
  const Key key{kind, handle};
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mutex);
  if (shard.live.erase(key) == 0) return false;
  CountOf(kind).released.fetch_add(1, std::memory_order_relaxed);
  shard.past[key] = Fate::kGiven;
  return true;
}

bool WasReleased(Kind kind, const void* handle) {
  if (!kKinds[static_cast<int>(kind)].is_pure) return false;
  const Key key{kind, handle};
  Shard& shard = ShardOf(key);
  const std::lock_guard<std::mutex> lock(shard.mutex);
  const auto found = shard.past.find(key);
  return found != shard.past.end() && found->second == Fate::kKept;
}

void SettleHandles(bool find_leaks) {
  std::deque<Kept> kept;
  {
    const std::lock_guard<std::mutex> lock(g_kept_mutex);
    kept.swap(g_kept);
  }
  for (const Kept& one : kept) LetGo(one);
  if (!find_leaks) return;
  std::map<std::tuple<Kind, int, int>, uint64_t> left;
  for (Shard& shard : g_shards) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    for (const auto& [key, origin] : shard.live) {
      ++left[{key.kind, origin.function, origin.callback}];
    }
    shard.live.clear();
    shard.past.clear();
  }
  for (const auto& [key, count] : left) {
    const auto& [kind, made_by, callback] = key;
    std::string text = std::to_string(count) + " " + NameOf(kind) + " made by " +
                       kFunctions[made_by].name + " never released";
    FindAt("leaked", callback >= 0 ? callback : made_by, text);
  }
}

}  // namespace shim
