#include "state.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "allocations.h"
#include "json.h"
#include "log.h"

namespace shim {
namespace {

thread_local const Frame* t_innermost = nullptr;

std::atomic<uint64_t> g_calls[kFunctionCount];
Count g_handles[kKindCount];
Count g_structs[kStructCount];
Settings g_settings;

constexpr size_t kMostFindings = 1000;
std::mutex g_findings_mutex;
std::vector<Finding> g_findings;

std::mutex g_stamps_mutex;
std::map<std::tuple<StructId, uint32_t, int, int>, uint64_t> g_stamps;

}  // namespace

int InnermostFunction() { return t_innermost->function; }

int InnermostCallback() {
  for (const Frame* frame = t_innermost; frame != nullptr; frame = frame->outer) {
    if (frame->is_callback) return frame->function;
  }
  return -1;
}

Enter::Enter(int function, bool is_callback, const void* object)
    : frame_{function, is_callback, t_innermost} {
  g_calls[function].fetch_add(1, std::memory_order_relaxed);
  t_innermost = &frame_;
  WriteLog("enter", kFunctions[function].name, object);
  inside_before_ = InsideTarget(is_callback ? function + 1 : 0);
}

void Enter::Returned() { InsideTarget(0); }

Enter::~Enter() {
  InsideTarget(inside_before_);
  WriteLog(failed_ ? "failed" : "leave", kFunctions[frame_.function].name, nullptr);
  t_innermost = frame_.outer;
}

void Find(const char* rule, int function, const std::string& text) {
  const int callback = InnermostCallback();
  FindAt(rule, callback >= 0 ? callback : function, text);
}

void FindAt(const char* rule, int function, const std::string& text) {
  const char* where = kFunctions[function].name;
  WriteLog("finding", rule, nullptr, (std::string(where) + ": " + text).c_str());
  const std::lock_guard<std::mutex> lock(g_findings_mutex);
  for (Finding& known : g_findings) {
    if (known.rule == rule && known.where == where && known.text == text) {
      ++known.count;
      return;
    }
  }
  if (g_findings.size() < kMostFindings) g_findings.push_back({rule, where, text, 1});
}

void NoteStamp(StructId id, uint32_t version, int slots_set, int slots_bad) {
  const std::lock_guard<std::mutex> lock(g_stamps_mutex);
  ++g_stamps[{id, version, slots_set, slots_bad}];
}

Count& CountOf(Kind kind) { return g_handles[static_cast<int>(kind)]; }

Count& CountOf(StructId id) { return g_structs[static_cast<int>(id)]; }

Settings& Set() { return g_settings; }

bool TurnToFail(int function) {
  if (g_settings.fail_function.load(std::memory_order_relaxed) != function) return false;
  return g_settings.fail_in.fetch_sub(1) == 1;
}

void Linger(int function) {
  if (g_settings.delay_function.load(std::memory_order_relaxed) != function) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(g_settings.delay_ms.load()));
}

int FunctionOf(const std::string& name) {
  for (int function = 0; function < kFunctionCount; ++function) {
    if (name == kFunctions[function].name) return function;
  }
  return -1;
}

std::string CallsJson() {
  JsonObject calls;
  for (int function = 0; function < kFunctionCount; ++function) {
    const uint64_t count = g_calls[function].load(std::memory_order_relaxed);
    if (count != 0) calls.Add(kFunctions[function].name, count);
  }
  return calls.Text();
}

std::string CountsJson() {
  JsonObject counts;
  auto add = [&counts](const char* name, const Count& count) {
    const uint64_t created = count.created.load(), released = count.released.load();
    if (created == 0 && released == 0) return;
    JsonObject one;
    one.Add("created", created);
    one.Add("released", released);
    counts.AddRaw(name, one.Text());
  };
  for (int kind = 0; kind < kKindCount; ++kind) add(kKinds[kind].name, g_handles[kind]);
  for (int id = 0; id < kStructCount; ++id) add(kStructs[id].name, g_structs[id]);
  return counts.Text();
}

std::string StampsJson() {
  const std::lock_guard<std::mutex> lock(g_stamps_mutex);
  const uint32_t level = g_settings.level, built_for = g_settings.expected;
  const uint32_t expected = built_for == 0 ? level : std::min(level, built_for);
  JsonArray stamps;
  for (const auto& [key, count] : g_stamps) {
    const auto& [id, version, slots_set, slots_bad] = key;
    JsonObject one;
    one.Add("struct", kStructs[static_cast<int>(id)].name);
    one.Add("version", uint64_t{version});
    one.Add("expected", uint64_t{expected});
    one.Add("slots_set", static_cast<uint64_t>(slots_set));
    one.Add("slots_bad", static_cast<uint64_t>(slots_bad));
    one.Add("count", count);
    stamps.AddRaw(one.Text());
  }
  return stamps.Text();
}

std::string FindingsJson() {
  const std::lock_guard<std::mutex> lock(g_findings_mutex);
  JsonArray findings;
  for (const Finding& finding : g_findings) {
    JsonObject one;
    one.Add("rule", finding.rule.c_str());
    one.Add("where", finding.where.c_str());
    one.Add("text", finding.text.c_str());
    one.Add("count", finding.count);
    findings.AddRaw(one.Text());
  }
  return findings.Text();
}

void Reset() {
  for (auto& calls : g_calls) calls = 0;
  for (Count& count : g_handles) count.created = count.released = 0;
  for (Count& count : g_structs) count.created = count.released = 0;
  {
    const std::lock_guard<std::mutex> lock(g_findings_mutex);
    g_findings.clear();
  }
  const std::lock_guard<std::mutex> lock(g_stamps_mutex);
  g_stamps.clear();
}

}  // namespace shim
