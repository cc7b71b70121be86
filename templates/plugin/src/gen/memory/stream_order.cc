<%= banner %>
#include "gen/memory/stream_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace <%= ns %> {
namespace {

// How many steps of what is known of two queues are kept. They tell what was known when an event
// was recorded; events are waited for soon. Forgetting is safe: it makes memory wait for longer.
constexpr size_t kMostFacts = 16;

}  // namespace

// Keeps a queue while somebody waits for it.
class StreamOrder::Pin {
 public:
  Pin(StreamOrder& order, Stream stream) : order_(order) {
    const std::lock_guard<std::mutex> lock(order_.mutex_);
    const auto found = order_.streams_.find(stream);
    if (found == order_.streams_.end() || found->second.count == 0) return;
<% if graph_capture %>
    if (found->second.is_held) return;
<% endif %>
    use_ = &found->second;
    ++use_->waits;
    moment_ = ++order_.now_;
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    if (use_ == nullptr) return;
    const std::lock_guard<std::mutex> lock(order_.mutex_);
    --use_->waits;
    order_.waited_.notify_all();
  }

  bool holds() const noexcept { return use_ != nullptr; }
  // All that was there when the pin was made has been done.
  void End(Status status) {
    const std::lock_guard<std::mutex> lock(order_.mutex_);
    order_.MarkDone(*use_, moment_);
    if (use_->error.ok()) use_->error = std::move(status);
  }

 private:
  StreamOrder& order_;
  Use* use_ = nullptr;
  Moment moment_ = 0;
};

void StreamOrder::Add(Stream stream) {
  if (stream == nullptr) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Use& use = streams_[stream];
  // Nothing has been put into it yet, or it would have been added before.
  if (use.count++ == 0) use.done = now_;
}

void StreamOrder::Remove(Stream stream) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second.count == 0 || --found->second.count > 0) return;
  MarkDone(found->second, now_);
  waited_.wait(lock, [&] { return found->second.waits == 0; });
  if (found->second.count > 0) return;  // added again meanwhile
  streams_.erase(found);
  for (auto& [other, use] : streams_) use.after.erase(stream);
}

StreamOrder::Moment StreamOrder::Now() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ++now_;
}

void StreamOrder::SetDone(Stream stream, Moment moment) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [each, use] : streams_) {
    if (stream == nullptr || stream == each) MarkDone(use, std::min(moment, now_));
  }
}

void StreamOrder::MarkDone(Use& use, Moment moment) noexcept {
  use.done = std::max(use.done, moment);
  for (const auto& [earlier, facts] : use.after) {
    const auto found = streams_.find(earlier);
    if (found == streams_.end()) continue;
    found->second.done = std::max(found->second.done, UntilAt(facts, moment));
  }
}

void StreamOrder::SetAfter(Stream later, Stream earlier, Moment moment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto second = streams_.find(later);
  const auto first = streams_.find(earlier);
  if (second == streams_.end() || first == streams_.end() || first == second) return;
  moment = std::min(moment, now_);
  const Moment since = ++now_;
  Learn(second->second, earlier, {since, moment});
  for (const auto& [other, facts] : first->second.after) {
    // Not what `earlier` comes after by now: only what it came after at that moment.
    if (other != later) Learn(second->second, other, {since, UntilAt(facts, moment)});
  }
}

void StreamOrder::Learn(Use& later, Stream earlier, const Fact& fact) {
  const Moment done = DoneOf(earlier);
  if (fact.until <= done) return;
  Facts& facts = later.after[earlier];
  if (!facts.empty() && fact.until <= facts.back().until) return;
  const auto is_done = [&](const Fact& known) { return known.until <= done; };
  facts.erase(facts.begin(), std::find_if_not(facts.begin(), facts.end(), is_done));
  if (facts.size() == kMostFacts) facts.erase(facts.begin());
  facts.push_back(fact);
}

// What was known at that moment; 0 is before all moments.
StreamOrder::Moment StreamOrder::UntilAt(const Facts& facts, Moment moment) noexcept {
  const auto is_later = [](Moment wanted, const Fact& fact) { return wanted < fact.since; };
  const auto after = std::upper_bound(facts.begin(), facts.end(), moment, is_later);
  return after == facts.begin() ? 0 : std::prev(after)->until;
}

StreamOrder::Moment StreamOrder::DoneOf(Stream stream) const noexcept {
  const auto found = streams_.find(stream);
  return found == streams_.end() || found->second.count == 0 ? now_ : found->second.done;
}

StreamOrder::Moment StreamOrder::DoneUntil(Stream stream) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream != nullptr) return DoneOf(stream);
  Moment least = now_;
  for (const auto& [each, use] : streams_) {
    if (use.count > 0) least = std::min(least, use.done);
  }
  return least;
}

StreamOrder::Moment StreamOrder::AfterUntil(Stream later, Stream earlier) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto second = streams_.find(later);
  Moment least = now_;
  for (const auto& [each, use] : streams_) {
    if (each == later || use.count == 0 || (earlier != nullptr && earlier != each)) continue;
    Moment until = use.done;
    if (second != streams_.end()) {
      const auto known = second->second.after.find(each);
      if (known != second->second.after.end()) until = std::max(until, known->second.back().until);
    }
    least = std::min(least, until);
  }
  return least;
}

Status StreamOrder::Wait(Stream stream) {
  if (stream == nullptr) return WaitForAll();
<% if graph_capture %>
  if (IsHeld(stream)) return runtime_.Synchronize(stream);  // an error, which says so
<% endif %>
  WaitFor(stream);
  return TakeError(stream);
}

Status StreamOrder::WaitForAll() {
  Status first;
  for (Stream stream : Streams()) {
    WaitFor(stream);
    if (first.ok()) first = TakeError(stream);
  }
  return first;
}

void StreamOrder::Settle(Stream stream) {
  if (stream != nullptr) return WaitFor(stream);
  for (Stream each : Streams()) WaitFor(each);
}

<% if graph_capture %>
Status StreamOrder::Hold(Stream stream) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto found = streams_.find(stream);
    if (found == streams_.end() || found->second.count == 0) {
      return InvalidArgument("not a stream that is in use");
    }
    if (found->second.is_held) return InvalidArgument("the stream is captured already");
    found->second.is_held = true;  // nobody begins to wait for it any more
    waited_.wait(lock, [&] { return found->second.waits == 0; });
  }
  const Moment moment = Now();
  Status status = runtime_.Synchronize(stream);
  SetDone(stream, moment);
  const Status earlier = TakeError(stream);
  if (status.ok()) status = earlier;
  if (!status.ok()) Resume(stream);
  return status;
}

void StreamOrder::Resume(Stream stream) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  if (found != streams_.end()) found->second.is_held = false;
}

bool StreamOrder::IsHeld(Stream stream) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.is_held;
}

void StreamOrder::SetOutside(Stream stream) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  if (found != streams_.end()) found->second.is_outside = true;
}

void StreamOrder::SettleOutside() {
  std::vector<Stream> outside;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [stream, use] : streams_) {
      if (use.count > 0 && use.is_outside) outside.push_back(stream);
    }
  }
  for (Stream stream : outside) WaitFor(stream);
}

<% endif %>
// Without the mutex while it waits. A queue that is not known may be gone already.
void StreamOrder::WaitFor(Stream stream) {
  Pin pin(*this, stream);
  if (pin.holds()) pin.End(runtime_.Synchronize(stream));
}

Status StreamOrder::TakeError(Stream stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  return found == streams_.end() ? Status() : std::exchange(found->second.error, Status());
}

std::vector<Stream> StreamOrder::Streams() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Stream> streams;
  for (const auto& [stream, use] : streams_) {
    if (use.count > 0) streams.push_back(stream);
  }
  return streams;
}

}  // namespace <%= ns %>
