// Runs a plugin library in a real ONNX Runtime, told what to do line by line.
//
// Usage: host RUNTIME (the runtime's library; percent-encoded, as values below)
//   stdin   one command per line: a verb, then KEY=VALUE with tabs between them; values are
//           percent-encoded UTF-8, and a key may come more than once.
//   stdout  one JSON object per line. What a command has to say comes first, then
//           {"event":"done"} or {"event":"error",...}. So a crash shows how far it came.
//
//   severity level=0..4              of what is logged
//   register name= library=          a plugin library
//   unregister name=
//   loaded library=                  is the library in this process's memory?
//   devices                          of all libraries, and those that the runtime has itself
//   open model= severity= [ep= custom_ops= optimize= optimized= config=KEY=VALUE]
//                                    the session: on the first device of ep=, or the CPU alone;
//                                    optimize= as usual, else not at all
//   run inputs= outputs=             files of tensors, see tensors.h
//   close                            the session
//   cycles count= inputs= ...        as open, run and close, so many times
//   crowd what= threads= runs= inputs= output= ...
//                                    as open, by many threads: what= says whether they make
//                                    sessions at once (made), run one (one) or two (two) so many
//                                    times, or run one while others are made and released (churn)
//   control library= command=        of the shim plugin; its reply
//   probe library= name= what=       a plugin library, called as no runtime does; see probes.h
//   leaks                            memory that nothing points to any more, reported on stderr
//                                    where that is known; bytes that are allocated
//   quit                             leaves, whatever is still registered
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#endif

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "host.h"
#include "library.h"
#include "runtime.h"
#include "talk.h"

namespace {

constexpr std::uint32_t kApi = 24;  // the first that says which node went where

#ifdef _WIN32
// There are no signals on Windows whose number the process could end with: it says it itself.
[[noreturn]] void Fall(DWORD code) {
  char line[64];
  const int size = std::snprintf(line, sizeof line, "\n{\"event\":\"fault\",\"code\":%lu}\n", code);
  DWORD written = 0;
  WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), line, static_cast<DWORD>(size), &written, nullptr);
  TerminateProcess(GetCurrentProcess(), code);
  std::abort();
}

LONG WINAPI OnFault(EXCEPTION_POINTERS* fault) { Fall(fault->ExceptionRecord->ExceptionCode); }

void OnAbort(int /*signal*/) { Fall(0xC0000409); }

void PrepareProcess() {
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  SetUnhandledExceptionFilter(OnFault);
  std::signal(SIGABRT, OnAbort);
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
}
#else
void PrepareProcess() {}
#endif

void Serve(const std::string& runtime) {
  using Get = const OrtApiBase*(ORT_API_CALL*)();
  const OrtApiBase* base = Library(runtime).Function<Get>("OrtGetApiBase")();
  const std::string version = base->GetVersionString();
  ort = base->GetApi(kApi);
  if (ort == nullptr) {
    throw std::runtime_error("onnxruntime " + version + " is older than 1." + std::to_string(kApi));
  }
  Host host(*base);
  Say("runtime", Member("version", version));
  std::string line;
  while (std::getline(std::cin, line)) {
    const Command command = Parse(line);
    if (command.verb == "quit") return;
    try {
      host.Do(command);
      Say("done");
    } catch (const RuntimeError& error) {
      Say("error", Member("code", error.code) + "," + Member("text", error.what()));
    } catch (const std::exception& error) {
      Say("error", Member("code", -1) + "," + Member("text", error.what()));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  PrepareProcess();
  if (argc != 2) {
    std::fputs("usage: host RUNTIME\n", stderr);
    return 2;
  }
  try {
    Serve(Decoded(argv[1]));
  } catch (const std::exception& error) {
    Say("error", Member("code", -1) + "," + Member("text", error.what()));
    return 1;
  }
  return 0;
}
