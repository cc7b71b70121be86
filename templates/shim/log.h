// The log: one JSON line per record, in the file before the call goes on.
#pragma once

namespace shim {

// Opens the file that EPFORGE_SHIM_LOG names, if it names one. With EPFORGE_SHIM_LOG_CALLS=0 it gets
// findings alone.
void OpenLog();

// Writes a record; nothing without a log. `object` and `text` may be null.
void WriteLog(const char* event, const char* what, const void* object, const char* text = nullptr);

}  // namespace shim
