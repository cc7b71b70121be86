// Commands that come in, events that go out.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_TALK_H_
#define EPFORGE_VALIDATE_CROSS_HOST_TALK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Writes an event. `members` is JSON without the braces.
void Say(const std::string& event, const std::string& members = "");

std::string Quoted(const std::string& text);
std::string Member(const std::string& key, const std::string& text);
std::string Member(const std::string& key, std::int64_t number);
std::string List(const std::string& key, const std::vector<std::string>& items);

// What percent-encoded text stands for.
std::string Decoded(const std::string& text);

struct Command {
  std::string verb;
  std::multimap<std::string, std::string> values;

  bool Has(const std::string& key) const { return values.count(key) != 0; }

  // The value of a key. Throws std::runtime_error if there is none.
  const std::string& operator[](const std::string& key) const;
};

Command Parse(std::string line);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_TALK_H_
