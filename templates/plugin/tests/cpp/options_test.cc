<%= banner %>
// Options that change while a session lives.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "gen/identity.h"
#include "gen/options.h"

namespace <%= ns %>::test {
namespace {

constexpr auto kField = &Options::<%= (options | selectattr("dynamic") | first).field %>;

// Every dynamic option with a value that it may have: its default.
std::vector<OptionText> Defaults() {
  std::vector<OptionText> texts;
  for (const char* name : kDynamicOptions) {
    for (const OptionDefault& option : kOptionDefaults) {
      if (std::string(option.key) == name) texts.push_back({name, option.value});
    }
  }
  return texts;
}

bool Reads(const std::string& key, std::optional<OptionText>* text) {
  return ReadChange(key.c_str(), "value", text).ok();
}

void TestKeys() {
  std::optional<OptionText> text;
  for (const char* name : kDynamicOptions) {
    for (const std::string prefix : {"ep.dynamic.", kOptionPrefix}) {
      CHECK_THAT(Reads(prefix + name, &text) && text.has_value(), prefix + name);
      CHECK(text.has_value() && text->key == name && text->value == "value");
    }
    CHECK(!Reads(name, &text));
    CHECK(!Reads("EP.Dynamic." + std::string(name), &text));
    CHECK(Reads("ep.someotherexecutionprovider." + std::string(name), &text) && !text.has_value());
  }
  for (const std::string key : {"", "ep", "ep.", "ep.dynamic", "ep.dynamic.", "ep.x.effort",
                                "ep.executionprovider.effort", "ep.dynamic.no_such_option"}) {
    CHECK_THAT(!Reads(key, &text), key);
  }
  const std::string refused = ReadChange("ep.dynamic.no_such_option", "7", &text).message();
  CHECK_THAT(refused.find("no_such_option") != std::string::npos, refused);
  for (const char* name : kDynamicOptions) CHECK_THAT(refused.find(name) != std::string::npos, refused);
}

// Readers see one state or another, and keep the one that they have.
void TestThreads() {
  const Options begin;
  LiveOptions options(begin);
  const std::vector<OptionText> given = Defaults();
  const std::shared_ptr<const Options> first = options.Get();
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const std::shared_ptr<const Options> now = options.Get();
        if ((*now).*kField != begin.*kField) stop = true;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    if (!CHECK(options.Change(given.data(), given.size()).ok())) break;
  }
  CHECK(!stop.exchange(true));
  for (std::thread& reader : readers) reader.join();
  CHECK(options.Get() != first);
}

void TestAllOrNothing() {
  LiveOptions options{Options()};
  const std::shared_ptr<const Options> before = options.Get();
  std::vector<OptionText> given = Defaults();
  given.push_back({"no_such_option", "1"});
  CHECK(!options.Change(given.data(), given.size()).ok());
  CHECK(options.Get() == before);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
  TestKeys();
  TestThreads();
  TestAllOrNothing();
  return Verdict();
}
