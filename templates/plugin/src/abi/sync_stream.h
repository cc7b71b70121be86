<%= banner %>
#pragma once

#include <atomic>
<% if graph_capture or graphics_interop %>
#include <memory>
#include <utility>
<% endif %>

#include "abi/api.h"
#include "device/runtime.h"
#include "gen/memory/stream_order.h"

namespace <%= ns %> {

// A queue of the device's work, for ORT.
class SyncStream final : public OrtSyncStreamImpl {
 public:
  using Struct = OrtSyncStreamImpl;

  SyncStream(const Api& api, Runtime& runtime, StreamOrder& order);
  ~SyncStream();
  // Makes a queue; or uses `users`, which the application keeps for longer than the session.
  Status Init(Stream users);
<% if graph_capture %>
  // Who has the queue, where it is one for all of a session; kept until this has let go of it.
  void set_owner(std::shared_ptr<const void> owner) noexcept { owner_ = std::move(owner); }
<% endif %>
<% if graphics_interop %>
  // What the application has set up for a graphics API; in use until this is gone.
  void set_graphics(std::shared_ptr<const void> graphics) noexcept {
    graphics_ = std::move(graphics);
  }
<% endif %>

  const Api& api() const noexcept { return api_; }
  // The queue behind a stream of ORT's; null when it is not one of `runtime`.
  static Stream Find(const Api& api, const Runtime& runtime, OrtSyncStream* stream);

 private:
  // The callbacks.
  void* Handle() { return stream_; }
  Status MakeNotification(OrtSyncNotificationImpl** notification);
<% if graph_capture %>
  // At the end of a run that is captured, nothing is in the queue to wait for.
  Status Wait() { return order_.IsHeld(stream_) ? Status() : order_.Wait(stream_); }
<% else %>
  Status Wait() { return order_.Wait(stream_); }
<% endif %>
  // What a run was the last to need has been given back by then, each by its owner.
  Status EndRun() { return Status(); }

  const Api& api_;
  Runtime& runtime_;
  StreamOrder& order_;
  Stream stream_ = nullptr;
  bool is_own_ = false;
<% if graph_capture %>
  std::shared_ptr<const void> owner_;
<% endif %>
<% if graphics_interop %>
  std::shared_ptr<const void> graphics_;
<% endif %>
};

// A point in a queue that others can wait for.
class Notification final : public OrtSyncNotificationImpl {
 public:
  using Struct = OrtSyncNotificationImpl;

  Notification(const Api& api, Runtime& runtime, StreamOrder& order, Stream stream);
  ~Notification();
  Status Init() { return runtime_.CreateEvent(&event_); }

  const Api& api() const noexcept { return api_; }

 private:
  // The callbacks.
  Status Record();
  Status HoldUp(OrtSyncStream* consumer);
  Status Await();

  const Api& api_;
  Runtime& runtime_;
  StreamOrder& order_;
  const Stream stream_;
  Event event_ = nullptr;
  std::atomic<StreamOrder::Moment> moment_{0};  // no later than the event
};

}  // namespace <%= ns %>
