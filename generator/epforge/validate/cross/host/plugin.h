// A plugin library, called as no runtime calls it.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_PLUGIN_H_
#define EPFORGE_VALIDATE_CROSS_HOST_PLUGIN_H_

#include <exception>
#include <string>
#include <vector>

#include "library.h"
#include "patch.h"
#include "runtime.h"

// How a function of the library answered.
struct Answer {
  bool failed = false;
  std::string text;
};

class Plugin {
 public:
  // `name` is what the library is registered as.
  Plugin(const OrtApiBase& base, const std::string& library, std::string name);

  const OrtApiBase& base() const { return base_; }
  const OrtEpApi& ep() const { return ep_; }
  const void* code() const;
  std::vector<std::string>& wrong() { return wrong_; }

  // How often something has been tried.
  int tried = 0;

  // Calls the library, and says so before: {"event":"calling","where":...} tells where it falls.
  // What it throws, and an error without a text, are wrong.
  template <typename F>
  Answer Ask(const std::string& where, F call) {
    Calling(where);
    try {
      return Taken(where, call());
    } catch (const std::exception& error) {
      wrong_.push_back(where + ": an exception leaves it: " + error.what());
    } catch (...) {
      wrong_.push_back(where + ": an exception leaves it");
    }
    return {true, "an exception"};
  }

  // Its entry points.
  Answer Create(const OrtApiBase* base, OrtEpFactory** factories, size_t room, size_t* count,
                const std::string& when = "");
  Answer Release(OrtEpFactory* factory);

  // Its first factory, made as a runtime makes it, until it is dropped. Throws NotHereError if it
  // makes none.
  OrtEpFactory* Factory();

  // Releases its factories.
  void Drop();

  // What the first factory offers, for hardware that it is shown. An error is wrong.
  std::vector<OrtEpDevice*> Devices(const std::vector<const OrtHardwareDevice*>& hardware,
                                    size_t room = 8);
  void Release(const std::vector<OrtEpDevice*>& devices);

  ~Plugin() { Drop(); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

 private:
  void Calling(const std::string& where);
  Answer Taken(const std::string& where, OrtStatus* status);

  const OrtApiBase& base_;
  const OrtEpApi& ep_;
  Library library_;
  std::string name_;
  CreateEpApiFactoriesFn create_;
  ReleaseEpApiFactoryFn release_;
  std::vector<OrtEpFactory*> factories_;
  std::string calling_;
  std::vector<std::string> wrong_;
  Patch log_;
  Patch severity_;
  Patch entries_;
};

// There is nothing to be probed.
struct NotHereError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#endif  // EPFORGE_VALIDATE_CROSS_HOST_PLUGIN_H_
