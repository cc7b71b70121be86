<%= banner %>
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "device/runtime.h"

namespace <%= ns %> {

// Which queues there are, and what is known about the order of their work: whether what was in a
// queue at some moment has been done, or comes before all that will be put into another queue. A
// moment is a number: later moments have greater ones. Every call may come from several threads at
// once.
//
// What is asked about the null stream is asked about all queues: memory that was for no queue in
// particular may be in use by any.
class StreamOrder {
 public:
  using Moment = uint64_t;

  // `runtime` outlives this.
  explicit StreamOrder(Runtime& runtime) noexcept : runtime_(runtime) {}
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  // A queue that is used from now on, `count` times if it was added that often.
  void Add(Stream stream);
  // The end of one use. The caller has waited for the queue: all of it has been done. After the
  // last one nobody waits for the queue any more, so it may go.
  void Remove(Stream stream) noexcept;

  // A new moment.
  Moment Now() noexcept;
  // All that was in `stream` at that moment has been done, and what that came after.
  void SetDone(Stream stream, Moment moment) noexcept;
  // What is put into `later` from now on comes after all that was in `earlier` at that moment, and
  // after what that came after in turn.
  void SetAfter(Stream later, Stream earlier, Moment moment);

  // Has all been done that was in `stream` at that moment? A queue that nobody uses is empty.
  bool IsDone(Stream stream, Moment moment) const noexcept { return moment <= DoneUntil(stream); }
  // Is what is put into `later` from now on after all that was in `earlier` at that moment?
  bool IsAfter(Stream later, Stream earlier, Moment moment) const noexcept {
    return moment <= AfterUntil(later, earlier);
  }
  // The latest moment for which these are true.
  Moment DoneUntil(Stream stream) const noexcept;
  Moment AfterUntil(Stream later, Stream earlier) const noexcept;

  // Waits for a queue, or for all of them, and returns the first error of their work. The errors of
  // other queues stay for who waits for those.
  Status Wait(Stream stream);
  Status WaitForAll();
  // Waits for the sake of memory: an error stays for the next Wait, since the caller has nothing to
  // do with the work.
  void Settle(Stream stream);
<% if graph_capture %>

  // While a queue is held, what is put into it is recorded and not done, so nobody waits for it but
  // who asks for that queue alone, by Wait. Hold waits for all that is there, and for those that
  // wait for it, and returns the error of its work.
  Status Hold(Stream stream);
  void Resume(Stream stream) noexcept;
  bool IsHeld(Stream stream) const noexcept;

  // Queues that the application has made, for whatever it likes; and waiting for all of those, as
  // Settle does.
  void SetOutside(Stream stream) noexcept;
  void SettleOutside();
<% endif %>

 private:
  // From moment `since` on, what is put into a queue comes after what was in another one at
  // moment `until`.
  struct Fact {
    Moment since;
    Moment until;
  };
  using Facts = std::vector<Fact>;  // both moments rise
  struct Use {
    int count = 0;
    int waits = 0;    // that are under way: the queue must not go
<% if graph_capture %>
    bool is_held = false;
    bool is_outside = false;
<% endif %>
    Moment done = 0;  // all that was there then has been done
    Status error;     // of its work; nobody has been told yet
    std::map<Stream, Facts> after;
  };
  class Pin;

  // The caller holds the mutex.
  void MarkDone(Use& use, Moment moment) noexcept;
  void Learn(Use& later, Stream earlier, const Fact& fact);
  Moment DoneOf(Stream stream) const noexcept;
  static Moment UntilAt(const Facts& facts, Moment moment) noexcept;

  // Waits for one queue; its error stays.
  void WaitFor(Stream stream);
  Status TakeError(Stream stream);
  std::vector<Stream> Streams() const;

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::condition_variable waited_;
  Moment now_ = 0;
  std::map<Stream, Use> streams_;
};

}  // namespace <%= ns %>
