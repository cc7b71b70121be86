// Just enough JSON to answer with.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace shim {

inline std::string JsonText(const char* text) {
  std::string out = "\"";
  for (const char* at = text; *at != '\0'; ++at) {
    const unsigned char c = static_cast<unsigned char>(*at);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += *at;
    } else if (c < 0x20 || c >= 0x7f) {  // what is not ASCII may be no UTF-8 either
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += *at;
    }
  }
  return out + "\"";
}

class JsonArray {
 public:
  void AddRaw(const std::string& json) { body_ += (body_.empty() ? "" : ", ") + json; }
  std::string Text() const { return "[" + body_ + "]"; }

 private:
  std::string body_;
};

class JsonObject {
 public:
  void AddRaw(const char* key, const std::string& json) {
    body_ += (body_.empty() ? "" : ", ") + JsonText(key) + ": " + json;
  }
  void Add(const char* key, uint64_t value) { AddRaw(key, std::to_string(value)); }
  void Add(const char* key, const char* value) { AddRaw(key, JsonText(value)); }
  std::string Text() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

}  // namespace shim
