#include "talk.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace {

std::mutex speaking;

}  // namespace

std::string Decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

void Say(const std::string& event, const std::string& members) {
  const std::lock_guard<std::mutex> lock(speaking);
  const std::string comma = members.empty() ? "" : ",";
  const std::string line = "{\"event\":" + Quoted(event) + comma + members + "}\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

std::string Member(const std::string& key, const std::string& text) {
  return Quoted(key) + ":" + Quoted(text);
}

std::string Member(const std::string& key, std::int64_t number) {
  return Quoted(key) + ":" + std::to_string(number);
}

std::string List(const std::string& key, const std::vector<std::string>& items) {
  std::string out = Quoted(key) + ":[";
  for (const std::string& item : items) {
    out += (out.back() == '[' ? "" : ",") + item;
  }
  return out + "]";
}

const std::string& Command::operator[](const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end()) throw std::runtime_error(verb + " lacks " + key + "=");
  return found->second;
}

Command Parse(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  Command command;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    const std::size_t equals = word.find('=');
    if (begin == 0) {
      command.verb = word;
    } else if (equals != std::string::npos) {
      command.values.emplace(word.substr(0, equals), Decoded(word.substr(equals + 1)));
    }
    begin = end + 1;
  }
  return command;
}
