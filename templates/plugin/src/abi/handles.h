<%= banner %>
#pragma once

#include <utility>

#include "abi/api.h"

namespace <%= ns %> {

// Owns an ORT object. The argument is the entry of an API table that gives it back:
// Handle<&OrtApi::ReleaseKeyValuePairs>.
template <auto Release>
class Handle;

template <class Table, class T, void(ORT_API_CALL* Table::* Release)(T*)>
class Handle<Release> {
 public:
  explicit Handle(const Table& table, T* object = nullptr) noexcept
      : table_(&table), object_(object) {}
  Handle(Handle&& other) noexcept : table_(other.table_), object_(other.release()) {}
  ~Handle() {
    if (object_ != nullptr) (table_->*Release)(object_);
  }

  T* get() const noexcept { return object_; }
  T* release() noexcept { return std::exchange(object_, nullptr); }
  // Where a Create function writes the object; the handle must be empty.
  T** out() noexcept { return &object_; }

 private:
  const Table* table_;
  T* object_;
};

using KeyValuePairs = Handle<&OrtApi::ReleaseKeyValuePairs>;
using EpDevice = Handle<&OrtEpApi::ReleaseEpDevice>;
<% if virtual %>
using HardwareDevice = Handle<&OrtEpApi::ReleaseHardwareDevice>;
<% endif %>
<% if device_memory %>
using MemoryInfo = Handle<&OrtApi::ReleaseMemoryInfo>;
<% endif %>

}  // namespace <%= ns %>
