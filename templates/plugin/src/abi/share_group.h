<%= banner %>
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "abi/context_blob.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Sessions that write one blob together (ep.share_ep_contexts). The first names it; the last, which
// says so (ep.stop_share_ep_contexts), writes it.
struct ShareGroup {
  enum class State { kOpen, kClosed, kFailed };

  std::string folder;
  std::string blob;  // its file name
  BlobContent content;
  State state = State::kOpen;
  const void* last = nullptr;  // the session that has closed it, and alone may use it now
};

// What the sessions of one factory share. Every call may come from several threads at once.
class Shares {
 public:
  using Blob = std::shared_ptr<const BlobContent>;

  // Sets `group` to the one that is open, or opens it with what `founder` says. A group lies in
  // one folder and is compiled for one architecture; a session that differs is refused.
  Status Join(const ShareGroup& founder, std::shared_ptr<ShareGroup>* group);
  // Adds what a session has compiled, as AddEntries does. `last` is null, or the session which is
  // the last: it closes the group, which from then on belongs to it alone.
  Status Add(const std::shared_ptr<ShareGroup>& group, const void* last, Entries* entries);
  // Closes the group that is open, if any, for a last session that has nothing to add.
  std::shared_ptr<ShareGroup> Close();
  // One of the group's sessions has failed: nothing of the group remains.
  void Fail(const std::shared_ptr<ShareGroup>& group) noexcept;

  // A blob that some session holds already, or else what `read` makes of it. It lives as long as
  // the sessions that hold it.
  Status Load(const std::string& key, const std::function<Status(Blob*)>& read, Blob* blob);

 private:
  std::mutex mutex_;  // of all of these, and of the groups that are open
  std::shared_ptr<ShareGroup> open_;
  std::map<std::string, std::weak_ptr<const BlobContent>> loaded_;
};

}  // namespace <%= ns %>
