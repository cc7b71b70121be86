// What the commands do: libraries, devices, one session at a time.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_HOST_H_
#define EPFORGE_VALIDATE_CROSS_HOST_HOST_H_

#include <string>
#include <vector>

#include "runtime.h"
#include "talk.h"

class Host {
 public:
  Host();

  // Does a command and says what comes of it. Throws what goes wrong.
  void Do(const Command& command);

 private:
  std::vector<const OrtEpDevice*> Devices() const;
  void AddProvider(OrtSessionOptions* options, const std::string& ep) const;
  void OpenSession(const Command& command);
  std::vector<std::string> Assigned() const;
  void RunSession(const Command& command);
  std::vector<std::string> OutputNames() const;

  Owned<OrtEnv> env_ = Own<OrtEnv>(nullptr, ort->ReleaseEnv);
  Owned<OrtSession> session_ = Own<OrtSession>(nullptr, ort->ReleaseSession);
};

#endif  // EPFORGE_VALIDATE_CROSS_HOST_HOST_H_
