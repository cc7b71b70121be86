// What the shim notes down: calls, counts, stamps, findings, and where each thread is.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "functions.h"

namespace shim {

// A callback of the target, or a function of the runtime that the target called, under way.
struct Frame {
  int function;
  bool is_callback;
  const Frame* outer;
};

// The innermost function or callback of this thread, as an index of kFunctions. There is one.
int InnermostFunction();

// The callback of the target that this thread is in, as an index of kFunctions; -1 if in none.
int InnermostCallback();

class Enter {
 public:
  Enter(int function, bool is_callback, const void* object);
  ~Enter();
  Enter(const Enter&) = delete;
  Enter& operator=(const Enter&) = delete;

  void Failed() { failed_ = true; }

  // What is done from now on, the target does not do.
  void Returned();

 private:
  Frame frame_;
  bool failed_ = false;
  int inside_before_ = 0;
};

struct Finding {
  std::string rule;
  std::string where;
  std::string text;
  uint64_t count;
};

// A breach of contract, at the callback that the target is in, or in `function` outside of any.
void Find(const char* rule, int function, const std::string& text);

// A breach of contract at `function`, wherever it was noticed.
void FindAt(const char* rule, int function, const std::string& text);

struct Stamp {
  StructId id;
  uint32_t version;
  int slots_set;
  int slots_bad;
  uint64_t count;
};

void NoteStamp(StructId id, uint32_t version, int slots_set, int slots_bad);

struct Count {
  std::atomic<uint64_t> created{0};
  std::atomic<uint64_t> released{0};
};

Count& CountOf(Kind kind);
Count& CountOf(StructId id);

// What the runtime and the one who asked have settled.
struct Settings {
  std::atomic<uint32_t> level{0};    // of the runtime, or that of an older one that is played
  std::atomic<uint32_t> pretend{0};  // the level to play; 0 for none
  std::atomic<uint32_t> expected{0};  // the level that the target is built for; 0 if not known
  std::atomic<uint32_t> asked{0};    // the highest version that the target got a table for
  std::atomic<int> fail_function{-1};
  std::atomic<int64_t> fail_in{0};
  std::atomic<int> delay_function{-1};
  std::atomic<int> delay_ms{0};
  std::atomic<int> concurrent{-1};  // what an EP said about concurrent runs; -1 for none asked
};

Settings& Set();

// Is it this call's turn to fail?
bool TurnToFail(int function);

// Waits if calls of that function are to take longer.
void Linger(int function);

// A number for a name of kFunctions; -1 if there is none.
int FunctionOf(const std::string& name);

// The notes as JSON.
std::string CallsJson();
std::string CountsJson();
std::string StampsJson();
std::string FindingsJson();

void Reset();

}  // namespace shim
