<%= banner %>
#include "abi/claim.h"

<% if patterns or also_kernels %>
#include <algorithm>
<% endif %>
#include <cstring>
#include <memory>
<% if patterns %>
#include <unordered_map>
<% endif %>
#include <utility>

#include "abi/bridge.h"
#include "abi/graph_reader.h"
#include "abi/links.h"
#include "abi/node_reader.h"
#include "gen/api/signature.h"
<% if patterns %>
#include "gen/graph/patterns.h"
<% endif %>
#include "gen/kernel_table.h"

namespace <%= ns %> {
namespace {

constexpr size_t kMaxGroup = <%= max_group %>;  // nodes; 0: no limit
<% if contexts %>
constexpr char kUntyped[] =
    ": an inner graph reads what it makes, and ONNX Runtime before 1.31 would not write the type of "
    "that into a compiled model";
<% endif %>

using Nodes = std::vector<const OrtNode*>;
using Values = std::vector<const OrtValueInfo*>;

Status ReadTypes(const Api& api, const Values& values, std::vector<DType>* types) {
  types->resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EP_RETURN_IF_ERROR(ReadElementType(api, values[i], &(*types)[i]));
  }
  return Status();
}

// Does the node have the element types that the kernel is for? The status says where it has not.
Status CheckTypes(const Api& api, const OrtNode* node, const KernelRow& row, Status* fits) {
  Values values;
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api, node, &values)));
  EP_RETURN_IF_ERROR(ReadTypes(api, values, &inputs));
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(api, node, &values)));
  EP_RETURN_IF_ERROR(ReadTypes(api, values, &outputs));
  *fits = CheckSignature(row, inputs, outputs);
  return Status();
}

// Tells ORT what is taken, and counts.
class Offer {
 public:
  Offer(const Api& api, OrtEpGraphSupportInfo* support) noexcept : api_(api), support_(support) {}

  // Nodes to be compiled together.
  Status Group(const Nodes& nodes, bool drop_constants) {
    OrtNodeFusionOptions options = Stamped<OrtNodeFusionOptions>(api_);
    options.drop_constant_initializers = drop_constants;
    nodes_ += nodes.size();
    ++groups_;
    return FromOrt(api_, api_.ep->EpGraphSupportInfo_AddNodesToFuse(support_, nodes.data(),
                                                                    nodes.size(), &options));
  }
<% if also_kernels %>
  // A node for a kernel of the registry.
  Status Alone(const OrtNode* node) {
    ++nodes_;
    return FromOrt(api_, api_.ep->EpGraphSupportInfo_AddSingleNode(support_, node));
  }
<% endif %>

  size_t nodes() const noexcept { return nodes_; }
  size_t groups() const noexcept { return groups_; }

 private:
  const Api& api_;
  OrtEpGraphSupportInfo* support_;
  size_t nodes_ = 0;
  size_t groups_ = 0;
};

}  // namespace

Status Claimer::Claim(const OrtGraph* graph, bool drop_constants, OrtEpGraphSupportInfo* support) {
<% if contexts %>
  const OrtNode* parent = nullptr;
  if (contexts_.writing()) EP_ORT(api_, ort->Graph_GetParentNode(graph, &parent));
  if (parent != nullptr) {
    // ORT writes inner graphs as they were, but without the constants that it was free to drop.
    logger_.Info("leaves the nodes of an inner graph: compiled models have it as it was");
    return Status();
  }
  Scan scan{{}, {}, {}, InnerGraphs(api_)};
<% else %>
  Scan scan;
<% endif %>
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumNodes, &OrtApi::Graph_GetNodes>(api_, graph, &scan.nodes)));
<% if contexts %>
  if (contexts_.writing()) EP_RETURN_IF_ERROR(scan.inner.Read(scan.nodes));
<% endif %>
  for (const OrtNode* node : scan.nodes) {
    Verdict verdict;
    EP_RETURN_IF_ERROR(Judge(node, &verdict));
<% if contexts %>
    bool may = true;
    if (verdict.way == Way::kGroup) EP_RETURN_IF_ERROR(scan.inner.MayCompile(node, &may));
    if (!may) verdict = {Way::kLeft, nullptr, verdict.row->op + std::string(kUntyped)};
<% endif %>
    if (!verdict.refusal.empty() && refusals_.insert(verdict.refusal).second) {
      logger_.Info("does not take " + verdict.refusal);
    }
    scan.verdicts.push_back(std::move(verdict));
  }
  EP_RETURN_IF_ERROR(Divide(&scan));
  return Submit(&scan, drop_constants, support);
}

Status Claimer::Judge(const OrtNode* node, Verdict* verdict) const {
  const char* domain = nullptr;
  const char* op = nullptr;
  const char* holder = nullptr;
  NodeReader reader(api_);
  EP_ORT(api_, ort->Node_GetDomain(node, &domain));
  EP_ORT(api_, ort->Node_GetOperatorType(node, &op));
  EP_ORT(api_, ort->Node_GetEpName(node, &holder));
  EP_RETURN_IF_ERROR(reader.Init(node));
  const auto refuse = [&](const std::string& reason) {
    verdict->refusal = (*domain != '\0' ? std::string(domain) + "::" : "") + op + "-" +
                       std::to_string(reader.SinceVersion()) + ": " + reason;
    return Status();
  };
  const bool held = holder != nullptr && *holder != '\0';
  if (held && std::strcmp(holder, <%= "api_.identity->ep_name" if several else "kEpName" %>) != 0) {
    return refuse(std::string("it belongs to ") + holder);
  }
<% if contexts %>
  if (std::strcmp(op, "EPContext") == 0 && std::strcmp(domain, "com.microsoft") == 0) {
    bool ours = false;
    EP_RETURN_IF_ERROR(contexts_.IsOurs(node, &ours));
    if (!ours) return refuse("another execution provider has made it");
    verdict->way = Way::kContext;
    return Status();
  }
<% endif %>
  const KernelRow* row = FindKernel(domain, op, reader.SinceVersion());
  if (row == nullptr && held) return Status();  // a group that was taken before
  if (row == nullptr || !row->ready) return refuse("there is no kernel for it");
  size_t subgraphs = 0;
  EP_ORT(api_, ort->Node_GetNumSubgraphs(node, &subgraphs));
  if (subgraphs > 0) return refuse("it has graphs of its own");
  Status fits;
  EP_RETURN_IF_ERROR(CheckTypes(api_, node, *row, &fits));
  if (!fits.ok()) return refuse(fits.message());
  std::unique_ptr<Kernel> trial;
  const Status made = row->make(reader, trial);
  if (!made.ok()) return refuse(made.message());
  verdict->row = row;
  verdict->way = Way::kGroup;
<% if also_kernels %>
  if (!row->compiled) verdict->way = Way::kKernel;
<% endif %>
  return Status();
}

Status Claimer::Divide(Scan* scan) {
  PartitionProblem problem;
  problem.max_group = kMaxGroup;
  for (const Verdict& each : scan->verdicts) problem.supported.push_back(each.way == Way::kGroup);
  Links links(api_, scan->nodes);
  EP_RETURN_IF_ERROR(links.Read(&problem));
<% if patterns %>
  std::vector<PatternNode> chain(scan->nodes.size());
  for (uint32_t i = 0; i < chain.size(); ++i) {
    const Verdict& verdict = scan->verdicts[i];
    if (verdict.way != Way::kGroup) continue;
    chain[i] = {verdict.row->domain, verdict.row->op, true, PatternNode::kNone};
    EP_RETURN_IF_ERROR(links.FindNext(i, &chain[i].next));
  }
  const std::vector<PatternMatch> patterns = FindPatterns(chain);
  for (const PatternMatch& match : patterns) problem.together.push_back(match.nodes);
  EP_RETURN_IF_ERROR(Partition(problem, &scan->groups));
#ifndef NDEBUG
  EP_RETURN_IF_ERROR(RememberPatterns(*scan, patterns));
#endif
  return Status();
<% else %>
  return Partition(problem, &scan->groups);
<% endif %>
}

Status Claimer::Submit(Scan* scan, bool drop_constants, OrtEpGraphSupportInfo* support) {
  const Nodes& nodes = scan->nodes;
  Offer offer(api_, support);
<% if contexts %>
  InnerGraphs& inner = scan->inner;
  bool captured = false;
<% endif %>
  for (const NodeGroup& group : scan->groups) {
    Nodes members;
    for (uint32_t node : group) members.push_back(nodes[node]);
<% if also_kernels %>
    const auto has_kernel = [&](uint32_t node) { return scan->verdicts[node].row->registered; };
    if (std::all_of(group.begin(), group.end(), has_kernel)) {
      // Nothing would be gained by compiling them.
      for (const OrtNode* node : members) EP_RETURN_IF_ERROR(offer.Alone(node));
<% if contexts %>
      EP_RETURN_IF_ERROR(inner.Keep(members, &captured));
<% endif %>
      continue;
    }
<% endif %>
<% if contexts %>
    // What inner graphs read as well must stay an input.
    EP_RETURN_IF_ERROR(inner.Keep(members, &captured));
    EP_RETURN_IF_ERROR(offer.Group(members, drop_constants && !captured));
<% else %>
    EP_RETURN_IF_ERROR(offer.Group(members, drop_constants));
<% endif %>
  }
<% if also_kernels or contexts %>
  for (size_t i = 0; i < nodes.size(); ++i) {
<% if also_kernels %>
    if (scan->verdicts[i].way == Way::kKernel) EP_RETURN_IF_ERROR(offer.Alone(nodes[i]));
<% endif %>
<% if contexts %>
    // What an EPContext node was compiled from is gone: all its inputs must be fed.
    if (scan->verdicts[i].way == Way::kContext) EP_RETURN_IF_ERROR(offer.Group({nodes[i]}, false));
    if (scan->verdicts[i].way != Way::kGroup) EP_RETURN_IF_ERROR(inner.Keep({nodes[i]}, &captured));
<% endif %>
  }
<% endif %>
<% if contexts %>
  writable_ = inner.Check();
<% endif %>
  logger_.Info("takes " + std::to_string(offer.nodes()) + " of " + std::to_string(nodes.size()) +
               " nodes in " + std::to_string(offer.groups()) + " groups");
  return Status();
}
<% if patterns %>
#ifndef NDEBUG

Status Claimer::RememberPatterns(const Scan& scan, const std::vector<PatternMatch>& patterns) {
  std::vector<size_t> group_of(scan.nodes.size());
  for (size_t i = 0; i < scan.groups.size(); ++i) {
    for (uint32_t node : scan.groups[i]) group_of[node] = i;
  }
  claimed_patterns_.clear();
  for (const PatternMatch& match : patterns) {
    ClaimedPattern claimed{match.pattern, {}};
    for (uint32_t node : match.nodes) {
      if (group_of[node] != group_of[match.nodes[0]]) break;  // too long for a group
      claimed.nodes.emplace_back();
      EP_ORT(api_, ort->Node_GetId(scan.nodes[node], &claimed.nodes.back()));
    }
    if (claimed.nodes.size() == match.nodes.size()) claimed_patterns_.push_back(std::move(claimed));
  }
  return Status();
}

Status Claimer::CheckPatterns(const OrtGraph* graph, const Graph& read) const {
  Nodes nodes;
  std::unordered_map<size_t, uint32_t> index;  // by ORT's number
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumNodes, &OrtApi::Graph_GetNodes>(api_, graph, &nodes)));
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    size_t number = 0;
    EP_ORT(api_, ort->Node_GetId(nodes[i], &number));
    index[number] = i;
  }
  for (const ClaimedPattern& claimed : claimed_patterns_) {
    std::vector<uint32_t> chain;
    for (size_t number : claimed.nodes) {
      const auto entry = index.find(number);
      if (entry != index.end()) chain.push_back(entry->second);
    }
    if (chain.empty()) continue;  // it is in another group
    const auto same = [&](const PatternMatch& match) {
      return match.pattern == claimed.name && match.nodes == chain;
    };
    if (std::none_of(read.patterns.begin(), read.patterns.end(), same)) {
      return Failed("pattern '" + claimed.name + "' was claimed with node '" +
                    read.nodes[chain[0]].name + "', but is not in what is to be compiled");
    }
  }
  return Status();
}
#endif
<% endif %>

}  // namespace <%= ns %>
