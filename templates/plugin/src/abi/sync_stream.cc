<%= banner %>
#include "abi/sync_stream.h"

#include <memory>

#include "abi/guard.h"

namespace <%= ns %> {

SyncStream::SyncStream(const Api& api, Runtime& runtime, StreamOrder& order)
    : OrtSyncStreamImpl(Stamped<OrtSyncStreamImpl>(api)),
      api_(api),
      runtime_(runtime),
      order_(order) {
  Release = Delete<SyncStream>;
  GetHandle = Callback<&SyncStream::Handle>::Call;
  CreateNotification = Callback<&SyncStream::MakeNotification>::Call;
  Flush = Callback<&SyncStream::Wait>::Call;
  OnSessionRunEnd = Callback<&SyncStream::EndRun>::Call;
}

Status SyncStream::Init(Stream users) {
  if (users != nullptr) {
    stream_ = users;
  } else {
    EP_RETURN_IF_ERROR(runtime_.CreateStream(&stream_));
    is_own_ = true;
  }
  order_.Add(stream_);
  return Status();
}

SyncStream::~SyncStream() {
  if (stream_ == nullptr) return;
  // Nobody is left to hear of an error; whoever had to, has waited for the queue before.
<% if graph_capture %>
  if (!order_.IsHeld(stream_)) (void)order_.Wait(stream_);
<% else %>
  (void)order_.Wait(stream_);
<% endif %>
  order_.Remove(stream_);
  if (is_own_) runtime_.DestroyStream(stream_);
}

Stream SyncStream::Find(const Api& api, const Runtime& runtime, OrtSyncStream* stream) {
  const OrtSyncStreamImpl* impl = stream != nullptr ? api.ep->SyncStream_GetImpl(stream) : nullptr;
  // Only ours have our callback.
  if (impl == nullptr || impl->Release != &Delete<SyncStream>) return nullptr;
  const auto* ours = static_cast<const SyncStream*>(impl);
  return &ours->runtime_ == &runtime ? ours->stream_ : nullptr;
}

Status SyncStream::MakeNotification(OrtSyncNotificationImpl** notification) {
  *notification = nullptr;
  auto made = std::make_unique<Notification>(api_, runtime_, order_, stream_);
  EP_RETURN_IF_ERROR(made->Init());
  *notification = made.release();
  return Status();
}

Notification::Notification(const Api& api, Runtime& runtime, StreamOrder& order, Stream stream)
    : OrtSyncNotificationImpl(Stamped<OrtSyncNotificationImpl>(api)),
      api_(api),
      runtime_(runtime),
      order_(order),
      stream_(stream) {
  Release = Delete<Notification>;
  Activate = Callback<&Notification::Record>::Call;
  WaitOnDevice = Callback<&Notification::HoldUp>::Call;
  WaitOnHost = Callback<&Notification::Await>::Call;
}

Notification::~Notification() {
  if (event_ != nullptr) runtime_.DestroyEvent(event_);
}

Status Notification::Record() {
  moment_ = order_.Now();
  return runtime_.Record(event_, stream_);
}

Status Notification::HoldUp(OrtSyncStream* consumer) {
  const Stream waiting = SyncStream::Find(api_, runtime_, consumer);
  if (waiting == nullptr) return Await();  // another device's queue, which cannot wait for ours
  EP_RETURN_IF_ERROR(runtime_.WaitOnDevice(event_, waiting));
  order_.SetAfter(waiting, stream_, moment_);
  return Status();
}

Status Notification::Await() {
  EP_RETURN_IF_ERROR(runtime_.WaitOnHost(event_));
  order_.SetDone(stream_, moment_);
  return Status();
}

}  // namespace <%= ns %>
