// What differs from system to system.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A symbol of any library that this process has loaded for all; null if there is none.
void* SymbolOfAny(const char* name);

// Where the noted library lies.
struct Image {
  std::uintptr_t first;
  std::uintptr_t end;
};

Image NotedImage();

// The name of the function that an address is in, where the library says it; empty otherwise.
std::string NameAt(const void* address);

}  // namespace shim
