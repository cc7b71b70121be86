#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "gen/graph/executable.h"
#include "gen/graph/program.h"

namespace contoso_watched {
namespace {

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A list of JSON strings. The names in the tests need no escapes.
template <class Items, class NameOf>
std::string List(const Items& items, NameOf name_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\"" : ", \"") + name_of(item) + "\"";
  return "[" + text + "]";
}

std::string Describe(const CompileRequest& request) {
  const Graph& graph = *request.graph;
  const auto value = [&](uint32_t index) { return graph.values[index].name; };
  const auto constant = [&](const GraphConstant& each) { return value(each.value); };
  const auto node = [](const GraphNode& each) { return each.name; };
  const auto pattern = [&](const PatternMatch& each) {
    std::string text = each.pattern + ":";
    for (uint32_t index : each.nodes) text += " " + graph.nodes[index].name;
    return text;
  };
  return "{\"inputs\": " + List(graph.inputs, value) +
         ", \"outputs\": " + List(graph.outputs, value) +
         ", \"constants\": " + List(graph.constants, constant) +
         ", \"nodes\": " + List(graph.nodes, node) +
         ", \"patterns\": " + List(graph.patterns, pattern) + "}\n";
}

}  // namespace

// The environment says what else happens: CONTOSO_WATCHED_LOG names a file that gets a line for
// each group, CONTOSO_WATCHED_FAIL a node whose group cannot be compiled.
Status Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable) {
  if (request.saved != nullptr) return Program::Restore(request, executable);
  if (std::FILE* log = std::fopen(Setting("CONTOSO_WATCHED_LOG").c_str(), "a"); log != nullptr) {
    std::fputs(Describe(request).c_str(), log);
    std::fclose(log);
  }
  for (const GraphNode& node : request.graph->nodes) {
    if (node.name == Setting("CONTOSO_WATCHED_FAIL")) return Failed("told to fail at " + node.name);
  }
  return Program::Compile(request, executable);
}

}  // namespace contoso_watched
