// Makes the calls of kernels that are written on standard input, and says for each what came of it:
// the status code and its text, a line each. For calls that may crash: whoever wrote them counts the
// lines. Compiled together with kernel_runner.cc, whose functions it calls.
//
//   new DOMAIN OP SINCE          DOMAIN is - for ONNX's own
//   int|float|text NAME VALUE    an attribute; text is in hexadecimal digits
//   texts NAME TEXT              the texts of a list, each after a line's end, in hexadecimal digits
//   ints|floats NAME COUNT VALUE...
//   tensor NAME TYPE RANK DIM... BYTES
//   input TYPE RANK DIM... BYTES  bytes in hexadecimal digits, - for none; type 0 for an absent one
//   output TYPE
//   run
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

struct Run;

extern "C" {
Run* RunNew(const char* domain, const char* op, int since);
void RunDelete(Run* run);
void RunSetInt(Run* run, const char* name, int64_t value);
void RunSetFloat(Run* run, const char* name, float value);
void RunSetString(Run* run, const char* name, const char* value);
void RunSetStrings(Run* run, const char* name, const char* text);
void RunSetInts(Run* run, const char* name, const int64_t* values, size_t count);
void RunSetFloats(Run* run, const char* name, const float* values, size_t count);
void RunSetTensor(Run* run, const char* name, int dtype, const int64_t* dims, size_t rank,
                  const unsigned char* data, size_t bytes);
void RunAddInput(Run* run, int dtype, const int64_t* dims, size_t rank, const void* data);
void RunAddOutput(Run* run, int dtype);
int RunExecute(Run* run, int64_t pieces);
const char* RunMessage(const Run* run);
}

namespace {

using Bytes = std::vector<unsigned char>;

template <class T>
T Next() {
  T value{};
  std::cin >> value;
  return value;
}

// By way of text, since streams do not read NaN.
template <>
float Next<float>() {
  return std::strtof(Next<std::string>().c_str(), nullptr);
}

template <class T>
std::vector<T> NextList() {
  std::vector<T> values(Next<size_t>());
  for (T& value : values) value = Next<T>();
  return values;
}

Bytes NextBytes() {
  const std::string digits = Next<std::string>();
  Bytes bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  bytes.shrink_to_fit();  // so that a sanitizer sees where they end
  return bytes;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  Run* run = nullptr;
  std::vector<Bytes> memory;
  std::string word;
  while (std::cin >> word) {
    if (word == "new") {
      const std::string domain = Next<std::string>();
      const std::string op = Next<std::string>();
      run = RunNew(domain == "-" ? "" : domain.c_str(), op.c_str(), Next<int>());
      memory.clear();
    } else if (word == "input") {
      const int dtype = Next<int>();
      const auto dims = NextList<int64_t>();
      memory.push_back(NextBytes());
      RunAddInput(run, dtype, dims.data(), dims.size(), memory.back().data());
    } else if (word == "output") {
      RunAddOutput(run, Next<int>());
    } else if (word == "run") {
      const int code = RunExecute(run, 3);
      std::printf("%d %s\n", code, RunMessage(run));
      std::fflush(stdout);
      RunDelete(run);
    } else {
      const std::string name = Next<std::string>();
      if (word == "int") RunSetInt(run, name.c_str(), Next<int64_t>());
      if (word == "float") RunSetFloat(run, name.c_str(), Next<float>());
      if (word == "text") {
        const Bytes text = NextBytes();
        RunSetString(run, name.c_str(), std::string(text.begin(), text.end()).c_str());
      }
      if (word == "texts") {
        const Bytes text = NextBytes();
        RunSetStrings(run, name.c_str(), std::string(text.begin(), text.end()).c_str());
      }
      if (word == "ints") {
        const auto values = NextList<int64_t>();
        RunSetInts(run, name.c_str(), values.data(), values.size());
      }
      if (word == "floats") {
        const auto values = NextList<float>();
        RunSetFloats(run, name.c_str(), values.data(), values.size());
      }
      if (word == "tensor") {
        const int dtype = Next<int>();
        const auto dims = NextList<int64_t>();
        const Bytes bytes = NextBytes();
        RunSetTensor(run, name.c_str(), dtype, dims.data(), dims.size(), bytes.data(), bytes.size());
      }
    }
  }
}
