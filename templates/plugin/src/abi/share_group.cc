<%= banner %>
#include "abi/share_group.h"

#include <iterator>
#include <utility>

namespace <%= ns %> {

Status Shares::Join(const ShareGroup& founder, std::shared_ptr<ShareGroup>* group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (open_ == nullptr) open_ = std::make_shared<ShareGroup>(founder);
  if (open_->folder != founder.folder) {
    return InvalidArgument("ep.share_ep_contexts: the models that share '" + open_->blob +
                           "' lie in '" + open_->folder + "', not in '" + founder.folder + "'");
  }
  if (open_->content.architecture != founder.content.architecture) {
    return InvalidArgument("ep.share_ep_contexts: '" + open_->blob + "' is compiled for " +
                           open_->content.architecture + ", not for " +
                           founder.content.architecture);
  }
  *group = open_;
  return Status();
}

Status Shares::Add(const std::shared_ptr<ShareGroup>& group, const void* last, Entries* entries) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (group->state == ShareGroup::State::kFailed) {
    return Failed("ep.share_ep_contexts: another session that shares '" + group->blob +
                  "' has failed; begin again with the first of them");
  }
  if (group->state == ShareGroup::State::kClosed && (last == nullptr || group->last != last)) {
    return Failed("ep.share_ep_contexts: the last session (ep.stop_share_ep_contexts) was complete "
                  "before this one, so '" + group->blob + "' does not hold it");
  }
  AddEntries(&group->content, entries);
  if (last == nullptr) return Status();
  group->state = ShareGroup::State::kClosed;
  group->last = last;
  if (open_ == group) open_ = nullptr;
  return Status();
}

std::shared_ptr<ShareGroup> Shares::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (open_ != nullptr) open_->state = ShareGroup::State::kClosed;
  return std::exchange(open_, nullptr);
}

void Shares::Fail(const std::shared_ptr<ShareGroup>& group) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (open_ == group) open_ = nullptr;
  // Once it is closed it is the last session's alone.
  if (group->state != ShareGroup::State::kOpen) return;
  group->state = ShareGroup::State::kFailed;
  group->content.entries.clear();
}

Status Shares::Load(const std::string& key, const std::function<Status(Blob*)>& read, Blob* blob) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = loaded_.begin(); it != loaded_.end();) {
    it = it->second.expired() ? loaded_.erase(it) : std::next(it);
  }
  const auto found = loaded_.find(key);
  if (found != loaded_.end()) *blob = found->second.lock();
  if (*blob != nullptr) return Status();
  EP_RETURN_IF_ERROR(read(blob));
  loaded_[key] = *blob;
  return Status();
}

}  // namespace <%= ns %>
