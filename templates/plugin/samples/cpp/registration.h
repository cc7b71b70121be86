<%= banner %>
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <set>
#include <string>

namespace sample {

// The plugin, found by itself when nobody names it. Throws Failure.
std::filesystem::path PluginFile(const std::string& given);

// The library of custom operators; empty when nobody names one and the project has none.
std::filesystem::path CustomOpsFile(const std::string& given);

// Throws Failure with the reason if `file` has no operators to register.
void CheckCustomOps(const std::filesystem::path& file);

// The plugin, registered as long as this lives. Sessions and their options must go before it, and
// the environment after it: they hold on to what is in the library.
class Registration {
 public:
  // Throws Failure when it cannot be registered.
  Registration(Ort::Env& env, const std::string& name, const std::filesystem::path& file);
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration();

  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return file_; }
  // The execution providers whose devices were there before.
  const std::set<std::string>& before() const { return before_; }

 private:
  Ort::Env& env_;
  std::string name_;
  std::filesystem::path file_;
  std::set<std::string> before_;
};

}  // namespace sample
