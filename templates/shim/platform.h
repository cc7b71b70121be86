// What differs from system to system.
#pragma once

#include <cstddef>
#include <string>

namespace shim {

// Loads a library; null with the reason in `error`.
void* LoadLibraryFile(const char* path, std::string& error);
void* SymbolOf(void* library, const char* name);
void UnloadLibrary(void* library);

// Is that address code of this process?
bool IsCode(const void* address);

// May the bytes at that address be written? Only a library that was noted is looked at closely.
bool IsWritable(const void* address);

// Notes where a library that is loaded from that file lies.
void NoteImage(const char* path);

// The distance of an address from the start of the noted library; -1 if it lies elsewhere.
std::ptrdiff_t OffsetInImage(const void* address);

int OpenToAppend(const char* path);
void AppendToFile(int file, const char* text, size_t size);
void CloseFile(int file);

// Tells the allocation hooks, if they are loaded, that this thread is in the target now (a number
// of kFunctions plus one) or not (0). Returns what it was.
int InsideTarget(int now);

}  // namespace shim
