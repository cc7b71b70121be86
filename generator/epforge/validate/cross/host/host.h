// What the commands do: libraries, devices, one session at a time.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_HOST_H_
#define EPFORGE_VALIDATE_CROSS_HOST_HOST_H_

#include <string>
#include <vector>

#include "runtime.h"
#include "talk.h"
#include "tensors.h"

class Host {
 public:
  explicit Host(const OrtApiBase& base);

  // Does a command and says what comes of it. Throws what goes wrong.
  void Do(const Command& command);

 private:
  std::vector<const OrtEpDevice*> Devices() const;
  void AddProvider(OrtSessionOptions* options, const std::string& ep) const;
  Owned<OrtSessionOptions> Options(const Command& command) const;
  void OpenSession(const Command& command);
  void Cycle(const Command& command);
  std::vector<std::string> Assigned() const;
  std::vector<const OrtHardwareDevice*> Hardware() const;
  void RunSession(const Command& command);
  std::vector<std::string> OutputNames() const;
  std::vector<Owned<OrtValue>> Run(const std::vector<Tensor>& inputs,
                                   const std::vector<std::string>& names) const;

  const OrtApiBase& base_;
  Owned<OrtEnv> env_ = Own<OrtEnv>(nullptr, ort->ReleaseEnv);
  Owned<OrtSession> session_ = Own<OrtSession>(nullptr, ort->ReleaseSession);
};

#endif  // EPFORGE_VALIDATE_CROSS_HOST_HOST_H_
