#include "control.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "allocations.h"
#include "direct.h"
#include "hardware.h"
#include "json.h"
#include "state.h"
#include "words.h"

namespace shim {
namespace {

using Words = std::vector<std::string>;

std::string Error(const std::string& text) {
  JsonObject answer;
  answer.Add("error", text.c_str());
  return answer.Text();
}

std::string Done() { return "{}"; }

std::string Fail(const Words& words) {
  if (words.size() != 3) return Error("fail NAME NTH");
  const int function = FunctionOf(words[1]);
  if (function < 0) return Error("there is no function " + words[1]);
  const long long nth = std::strtoll(words[2].c_str(), nullptr, 10);
  if (nth < 1) return Error("the first call is number 1");
  Set().fail_function = -1;
  Set().fail_in = nth;
  Set().fail_function = function;
  return Done();
}

std::string FailOff(const Words&) {
  Set().fail_function = -1;
  return Done();
}

std::string Delay(const Words& words) {
  if (words.size() != 3) return Error("delay NAME MILLISECONDS");
  const int function = FunctionOf(words[1]);
  if (function < 0) return Error("there is no function " + words[1]);
  Set().delay_ms = static_cast<int>(std::strtol(words[2].c_str(), nullptr, 10));
  Set().delay_function = Set().delay_ms > 0 ? function : -1;
  return Done();
}

std::string Pretend(const Words& words) {
  if (words.size() != 2) return Error("pretend LEVEL");
  Set().pretend = static_cast<uint32_t>(std::strtoul(words[1].c_str(), nullptr, 10));
  return Done();
}

std::string Expect(const Words& words) {
  if (words.size() != 2) return Error("expect LEVEL");
  Set().expected = static_cast<uint32_t>(std::strtoul(words[1].c_str(), nullptr, 10));
  return Done();
}

std::string Exhaust(const Words& words) {
  if (words.size() != 2) return Error("exhaust NTH");
  const long long nth = std::strtoll(words[1].c_str(), nullptr, 10);
  if (nth < 1) return Error("the first allocation is number 1");
  return FailAllocation(nth) ? Done() : Error("the allocation hooks are not loaded");
}

std::string ExhaustOff(const Words&) {
  JsonObject answer;
  answer.Add("left", static_cast<uint64_t>(std::max(int64_t{0}, AllocationsUntilFailure())));
  FailAllocation(0);
  return answer.Text();
}

std::string Hardware(const Words& words) {
  if (words.size() != 2) return Error("hardware LIST");
  const std::string wrong = MakeUpHardware(words[1]);
  return wrong.empty() ? Done() : Error(wrong);
}

std::string About(const Words&) {
  JsonObject answer;
  answer.Add("level", uint64_t{Set().level.load()});
  answer.Add("asked", uint64_t{Set().asked.load()});
  answer.Add("newest", uint64_t{kNewest});
  answer.AddRaw("concurrent", std::to_string(Set().concurrent.load()));
  return answer.Text();
}

}  // namespace

std::string Answer(const std::string& command) {
  using Command = std::string (*)(const Words&);
  static const std::map<std::string, Command> commands = {
      {"about", &About},
      {"calls", [](const Words&) { return CallsJson(); }},
      {"counts", [](const Words&) { return CountsJson(); }},
      {"stamps", [](const Words&) { return StampsJson(); }},
      {"findings", [](const Words&) { return FindingsJson(); }},
      {"reset",
       [](const Words&) {
         Reset();
         return Done();
       }},
      {"fail", &Fail},
      {"fail_off", &FailOff},
      {"delay", &Delay},
      {"exhaust", &Exhaust},
      {"exhaust_off", &ExhaustOff},
      {"live_blocks", [](const Words&) { return LiveBlocksJson(); }},
      {"create",
       [](const Words& words) { return CallCreate(words.size() == 2 ? words[1] : ""); }},
      {"can_copy",
       [](const Words& words) {
         return words.size() == 3 ? CallCanCopy(words[1], words[2]) : Error("can_copy FROM TO");
       }},
      {"streams", [](const Words&) { return CallStreams(); }},
      {"expect", &Expect},
      {"pretend", &Pretend},
      {"hardware", &Hardware},
  };
  const Words words = Split(command, ' ');
  const auto found = commands.find(words.empty() ? "" : words[0]);
  return found == commands.end() ? Error("there is no command " + command) : found->second(words);
}

}  // namespace shim
