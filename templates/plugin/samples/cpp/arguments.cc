<%= banner %>
#include "arguments.h"

#include <charconv>
#include <utility>

#include "failure.h"
#include "package.h"

namespace sample {
namespace {

int64_t Number(const std::string& text, const std::string& option, int64_t most) {
  int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0 || value > most) {
    throw Failure(option + " wants a number from 0 to " + std::to_string(most) + ", not '" + text +
                  "'");
  }
  return value;
}

// NAME=REST. The last equals sign parts them: names of ONNX may have some of their own.
std::pair<std::string, std::string> Split(const std::string& text, const std::string& option) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    throw Failure(option + " wants NAME=VALUE, not '" + text + "'");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

template <typename T>
void Add(std::map<std::string, T>* to, const std::string& name, T value,
         const std::string& option) {
  if (!to->emplace(name, std::move(value)).second) {
    throw Failure(option + " " + name + " is given twice: leave one out");
  }
}

void Check(const Arguments& arguments) {
  if (arguments.help) return;
  if (arguments.model.empty() && !arguments.list) {
    throw Failure("there is no model: give one, or --list to see the devices");
  }
  if (arguments.use_ep && !arguments.custom_ops.empty()) {
    throw Failure(
        "--custom-ops is for --no-ep: the execution provider brings its operators along, and a "
        "second registration of a domain is an error. Leave one of the two out");
  }
  if (!arguments.use_ep && (!arguments.library.empty() || arguments.list)) {
    throw Failure("--no-ep registers no plugin: leave it out, or --library and --list");
  }
}

}  // namespace

const char* Usage() {
  return "usage: sample MODEL.onnx [options]\n"
         "       sample --list [options]\n"
         "  --library FILE      the plugin; by default found beside the program, or where it was\n"
         "                      built\n"
         "  --name NAME         what it is registered under\n"
         "  --device N          which of its devices, as --list counts them; by default 0\n"
         "  --list              lists the devices, and ends\n"
         "  --no-ep             without the plugin: on ONNX Runtime's own CPU provider\n"
         "  --custom-ops FILE   with --no-ep: the library of custom operators\n"
         "  --runtime FILE      the library of ONNX Runtime\n"
         "  --dim NAME=SIZE     the size of an open dimension; by default 1\n"
         "  --input NAME=FILE   an input's values (.npy); by default a pattern\n"
         "  --output NAME=FILE  where an output's values go (.npy)\n"
         "  --log N             how much ONNX Runtime says: 0 (all), 2 (warnings), 4 (nothing)\n";
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  arguments.name = kRegistrationName;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw Failure(text + " wants a value; --help says which");
      const std::string next = argv[++i];
      if (next.empty()) throw Failure(text + " wants a value that is not empty");
      return next;
    };
    if (text == "--help" || text == "-h") {
      arguments.help = true;
    } else if (text == "--list") {
      arguments.list = true;
    } else if (text == "--no-ep") {
      arguments.use_ep = false;
    } else if (text == "--library") {
      arguments.library = value();
    } else if (text == "--custom-ops") {
      arguments.custom_ops = value();
    } else if (text == "--runtime") {
      arguments.runtime = value();
    } else if (text == "--name") {
      arguments.name = value();
    } else if (text == "--device") {
      arguments.device = static_cast<size_t>(Number(value(), text, 1000));
    } else if (text == "--log") {
      arguments.log = static_cast<int>(Number(value(), text, 4));
    } else if (text == "--dim") {
      const auto [name, size] = Split(value(), text);
      Add(&arguments.dims, name, Number(size, text, INT32_MAX), text);
    } else if (text == "--input") {
      const auto [name, file] = Split(value(), text);
      Add(&arguments.inputs, name, file, text);
    } else if (text == "--output") {
      const auto [name, file] = Split(value(), text);
      Add(&arguments.outputs, name, file, text);
    } else if (text.empty() || text[0] == '-') {
      throw Failure("there is no option '" + text + "'; --help lists them");
    } else if (arguments.model.empty()) {
      arguments.model = text;
    } else {
      throw Failure("one model at a time: '" + arguments.model + "' or '" + text + "'");
    }
  }
  Check(arguments);
  return arguments;
}

}  // namespace sample
