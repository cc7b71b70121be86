#include "blob_mutate.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "gen/graph/checksum.h"
#include "gen/graph/program_codec.h"
#include "gen/kernel_table.h"

namespace fuzz {
namespace {

using namespace PROJECT;  // NOLINT

// Where the format has what; only as much of it as is needed to seal.
constexpr size_t kSizeAt = 16;
constexpr size_t kDirectoryAt = 24;
constexpr size_t kDirectorySumAt = 32;
constexpr size_t kHeaderSumAt = 56;
constexpr size_t kHeaderSize = 64;

uint64_t Get(const Bytes& bytes, size_t at, size_t size = sizeof(uint64_t)) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{bytes[at + i]} << 8 * i;
  return value;
}

void Set(Bytes* bytes, size_t at, uint64_t value, size_t size = sizeof(uint64_t)) {
  for (size_t i = 0; i < size && at + i < bytes->size(); ++i) {
    (*bytes)[at + i] = static_cast<unsigned char>(value >> 8 * i);
  }
}

// Where the directory begins; where the header ends if that makes no sense.
size_t DirectoryOf(const Bytes& blob) {
  const uint64_t at = blob.size() < kHeaderSize ? 0 : Get(blob, kDirectoryAt);
  return at < kHeaderSize || at > blob.size() ? std::min(kHeaderSize, blob.size())
                                              : static_cast<size_t>(at);
}

void SealChunks(Bytes* blob, size_t at) {
  constexpr size_t kTexts = 3;
  constexpr size_t kWord = sizeof(uint64_t);
  const size_t end = blob->size();
  for (size_t i = 0; i < kTexts; ++i) {
    if (end - at < kWord || Get(*blob, at) > end - at - kWord) return;
    at += kWord + static_cast<size_t>(Get(*blob, at));
  }
  if (end - at < 2 * kWord) return;
  const uint64_t count = Get(*blob, at + kWord);
  at += 2 * kWord;
  for (uint64_t i = 0; i < count && end - at >= 3 * kWord; ++i, at += 3 * kWord) {
    const uint64_t offset = Get(*blob, at);
    const uint64_t size = Get(*blob, at + kWord);
    if (offset > end || size > end - offset) continue;
    Set(blob, at + 2 * kWord, Checksum(blob->data() + offset, static_cast<size_t>(size)));
  }
}

// Somewhere; mostly where the structure is, and not the weights.
size_t Somewhere(const Bytes& blob, Chance* chance) {
  const size_t directory = DirectoryOf(blob);
  if (chance->OneIn(8)) return chance->Below(std::min(kHeaderSize, blob.size()));
  if (chance->OneIn(8)) return chance->Below(blob.size());
  return directory + chance->Below(blob.size() - directory);
}

// A piece of the blob that begins at `at`, a short one.
size_t Length(const Bytes& blob, size_t at, Chance* chance) {
  return std::min(blob.size() - at, 1 + chance->Below(chance->OneIn(4) ? 200 : 16));
}

void SwapWords(Bytes* blob, size_t size, Chance* chance) {
  const size_t a = Somewhere(*blob, chance);
  const size_t b = Somewhere(*blob, chance);
  if (blob->size() < size || a > blob->size() - size || b > blob->size() - size) return;
  for (size_t i = 0; i < size; ++i) std::swap((*blob)[a + i], (*blob)[b + i]);
}

void ChangeSize(Bytes* blob, Chance* chance) {
  const bool little = chance->OneIn(2);
  if (chance->OneIn(2)) {
    const size_t left = little ? chance->Below(64) : chance->Below(blob->size());
    blob->resize(little ? blob->size() - std::min(left, blob->size()) : left);
  } else {
    const size_t more = 1 + chance->Below(little ? 16 : 4096);
    const bool zeros = chance->OneIn(2);
    for (size_t i = 0; i < more; ++i) {
      blob->push_back(zeros ? 0 : static_cast<unsigned char>(chance->Next()));
    }
  }
}

void SpoilOnce(Bytes* blob, const std::vector<Bytes>& others, Chance* chance) {
  constexpr unsigned char kBytes[] = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
  constexpr size_t kWays = 14;
  if (blob->empty()) return ChangeSize(blob, chance);
  const size_t at = Somewhere(*blob, chance);
  if (at >= blob->size()) return;
  const auto place = blob->begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = place + static_cast<std::ptrdiff_t>(Length(*blob, at, chance));
  unsigned char& byte = (*blob)[at];
  switch (chance->Below(kWays)) {
    case 0:
      byte = static_cast<unsigned char>(byte ^ 1U << chance->Below(8));
      break;
    case 1:
    case 2:
      byte = kBytes[chance->Below(sizeof kBytes)];
      break;
    case 3:
    case 4:
      byte = static_cast<unsigned char>(byte + chance->Below(33) - 16);
      break;
    case 5:
      Set(blob, at, static_cast<uint64_t>(chance->Number()), 4);
      break;
    case 6:
      Set(blob, at, static_cast<uint64_t>(chance->Number()));
      break;
    case 7:
      SwapWords(blob, 4, chance);
      break;
    case 8:
      SwapWords(blob, 8, chance);
      break;
    case 9:
      ChangeSize(blob, chance);
      break;
    case 10:
      blob->erase(place, end);
      break;
    case 11: {  // once more
      const Bytes piece(place, end);
      blob->insert(place, piece.begin(), piece.end());
      break;
    }
    case 12: {  // what lies elsewhere
      const size_t from = Somewhere(*blob, chance);
      const size_t size = std::min(Length(*blob, at, chance), blob->size() - from);
      std::memmove(blob->data() + at, blob->data() + from, size);
      break;
    }
    default: {  // the rest of another one
      const Bytes& other = chance->Of(others);
      const size_t from = Somewhere(other, chance);
      blob->erase(place, blob->end());
      blob->insert(blob->end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
    }
  }
}

// ------------------------------------------------------------------------------------ programs

DType AnyType(Chance* chance) { return static_cast<DType>(chance->Below(22)); }

void SpoilShape(Shape* shape, Chance* chance) {
  switch (chance->Below(4)) {
    case 0:
      return shape->push_back(chance->Number());
    case 1:
      if (!shape->empty()) shape->pop_back();
      return;
    case 2: {
      const size_t rank = chance->OneIn(8) ? 70 : chance->Below(9);
      return shape->assign(rank, static_cast<int64_t>(chance->Below(4)));
    }
    default:
      if (!shape->empty()) (*shape)[chance->Below(shape->size())] = chance->Number();
  }
}

void SpoilTensor(TensorValue* tensor, Chance* chance) {
  switch (chance->Below(4)) {
    case 0:
      tensor->dtype = AnyType(chance);
      break;
    case 1:
      SpoilShape(&tensor->shape, chance);
      break;
    case 2:
      tensor->bytes.resize(chance->Below(40));
      break;
    default:
      for (unsigned char& byte : tensor->bytes) byte = static_cast<unsigned char>(chance->Next());
  }
}

std::string AnyText(Chance* chance) {
  switch (chance->Below(6)) {
    case 0:
      return "";
    case 1:
      return std::string(chance->Below(70000), 'x');
    case 2:
      return std::string("Relu\0Relu", 9);
    case 3:
      return "SAME_UPPER";
    case 4:
      return "nearest";
    default:
      return std::string(13, static_cast<char>(chance->Next()));
  }
}

Attribute AnyAttribute(Chance* chance) {
  static const std::vector<std::string> names = {"axis",         "axes",
                                                 "to",           "value",
                                                 "kernel_shape", "strides",
                                                 "pads",         "dilations",
                                                 "group",        "perm",
                                                 "keepdims",     "auto_pad",
                                                 "alpha",        "beta",
                                                 "epsilon",      "ceil_mode",
                                                 "start",        "end",
                                                 "num_outputs",  "mode",
                                                 "allowzero",    "split",
                                                 "size",         "stash_type",
                                                 "transA",       "noop_with_empty_axes",
                                                 "fmod",         "direction"};
  constexpr float kReals[] = {0,
                              -1,
                              1e-30F,
                              1e30F,
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
  Attribute attribute;
  attribute.name = chance->OneIn(16) ? AnyText(chance) : chance->Of(names);
  attribute.kind = static_cast<Attribute::Kind>(chance->Below(chance->OneIn(16) ? 9 : 6));
  attribute.number = chance->Number();
  attribute.real = kReals[chance->Below(sizeof kReals / sizeof kReals[0])];
  attribute.text = AnyText(chance);
  for (size_t i = chance->Below(6); i > 0; --i) attribute.numbers.push_back(chance->Number());
  for (size_t i = chance->Below(6); i > 0; --i) attribute.reals.push_back(attribute.real);
  attribute.tensor.dtype = AnyType(chance);
  for (size_t i = chance->Below(4); i > 0; --i) {
    attribute.tensor.shape.push_back(static_cast<int64_t>(chance->Below(3)));
  }
  const auto count = static_cast<size_t>(ElementCount(attribute.tensor.shape));
  attribute.tensor.bytes.resize(count * SizeOf(attribute.tensor.dtype), 1);
  return attribute;
}

void SpoilIndices(std::vector<uint32_t>* indices, size_t values, Chance* chance) {
  const auto any = [&] {
    if (chance->OneIn(6)) return GraphNode::kAbsent;
    return static_cast<uint32_t>(chance->Below(values + (chance->OneIn(4) ? 3 : 0)));
  };
  switch (chance->Below(5)) {
    case 0:
      return indices->push_back(any());
    case 1:  // more than the operator has, but none of them there
      return indices->resize(indices->size() + 1 + chance->Below(3), GraphNode::kAbsent);
    case 2:
      if (!indices->empty()) indices->pop_back();
      return;
    case 3: {
      const size_t count = chance->OneIn(4) ? 100 : chance->Below(5);
      return indices->resize(count, any());
    }
    default:
      if (indices->empty()) return;
      uint32_t& index = (*indices)[chance->Below(indices->size())];
      index = any();
  }
}

void SpoilNode(Graph* graph, Chance* chance) {
  if (graph->nodes.empty()) return;
  GraphNode& node = graph->nodes[chance->Below(graph->nodes.size())];
  const KernelTable table = Kernels();
  const KernelRow& row = table.rows[chance->Below(table.count)];
  switch (chance->Below(10)) {
    case 0:
    case 1:
      node.domain = row.domain;
      node.op = row.op;
      node.since = row.since;
      break;
    case 2:
      node.since += static_cast<int>(chance->Below(5)) - 2;
      break;
    case 3:
      (chance->OneIn(2) ? node.op : node.domain) = AnyText(chance);
      break;
    case 4:
      node.attributes.push_back(AnyAttribute(chance));
      break;
    case 5:
    case 6:
      if (node.attributes.empty()) return;
      if (chance->OneIn(4)) return node.attributes.pop_back();
      if (Attribute& attribute =
              chance->OneIn(2) ? node.attributes.front() : node.attributes.back();
          attribute.kind == Attribute::Kind::kTensor) {
        SpoilTensor(&attribute.tensor, chance);
      } else {
        const std::string name = attribute.name;
        const Attribute::Kind kind = attribute.kind;
        attribute = AnyAttribute(chance);
        attribute.name = name;
        if (!chance->OneIn(3)) attribute.kind = kind;
      }
      break;
    case 7:
      SpoilIndices(&node.outputs, graph->values.size(), chance);
      break;
    default:
      SpoilIndices(&node.inputs, graph->values.size(), chance);
  }
}

void SpoilConstant(Graph* graph, Chance* chance) {
  if (graph->constants.empty()) return;
  GraphConstant& constant = graph->constants[chance->Below(graph->constants.size())];
  if (chance->OneIn(6)) {
    constant.value = static_cast<uint32_t>(chance->Below(graph->values.size() + 1));
    return;
  }
  Bytes bytes(constant.bytes.data, constant.bytes.data + constant.bytes.size);
  if (chance->OneIn(4)) bytes.resize(chance->Below(bytes.size() + 9));
  constexpr size_t kWord = sizeof(int64_t);
  for (size_t i = 0; i < 3; ++i) {
    const size_t at = chance->Below(bytes.size() / kWord) * kWord;
    Set(&bytes, at, static_cast<uint64_t>(chance->Number()));
  }
  auto owner = std::make_shared<const Bytes>(std::move(bytes));
  constant.bytes = {owner, owner->data(), owner->size()};
}

void SpoilGraph(Graph* graph, Chance* chance) {
  const auto place = [&] { return chance->Below(graph->nodes.size()); };
  switch (chance->Below(12)) {
    case 0:
      if (graph->values.empty()) return;
      graph->values[chance->Below(graph->values.size())].dtype = AnyType(chance);
      break;
    case 1: {
      if (graph->values.empty()) return;
      GraphValue& value = graph->values[chance->Below(graph->values.size())];
      value.has_shape = !chance->OneIn(4);
      SpoilShape(&value.shape, chance);
      break;
    }
    case 2:
      SpoilIndices(&graph->inputs, graph->values.size(), chance);
      break;
    case 3:
      SpoilIndices(&graph->outputs, graph->values.size(), chance);
      break;
    case 4:
      if (graph->nodes.size() > 1) std::swap(graph->nodes[place()], graph->nodes[place()]);
      break;
    case 5:
    case 6:
      SpoilConstant(graph, chance);
      break;
    default:
      SpoilNode(graph, chance);
  }
}

}  // namespace

int64_t Chance::Number() {
  static const std::vector<int64_t> edges = {0,
                                             1,
                                             2,
                                             3,
                                             4,
                                             7,
                                             8,
                                             16,
                                             64,
                                             100,
                                             255,
                                             256,
                                             1000,
                                             65535,
                                             65536,
                                             INT32_MAX,
                                             -1,
                                             -2,
                                             -3,
                                             int64_t{INT32_MAX} + 1,
                                             int64_t{1} << 32,
                                             int64_t{1} << 33,
                                             int64_t{1} << 40,
                                             int64_t{1} << 61,
                                             int64_t{1} << 62,
                                             INT32_MIN,
                                             INT64_MAX,
                                             INT64_MIN,
                                             INT64_MAX - 63};
  if (OneIn(4)) return static_cast<int64_t>(Below(20)) - 4;
  return Of(edges);
}

void Seal(Bytes* blob) {
  if (blob->size() < kHeaderSize) return;
  const size_t directory = DirectoryOf(*blob);
  SealChunks(blob, directory);
  Set(blob, kDirectorySumAt, Checksum(blob->data() + directory, blob->size() - directory));
  Set(blob, kHeaderSumAt, Checksum(blob->data(), kHeaderSumAt));
}

Bytes SpoilBytes(const Bytes& blob, const std::vector<Bytes>& others, bool sealed, Chance* chance) {
  Bytes spoilt = blob;
  for (size_t i = 1 + chance->Below(3); i > 0; --i) SpoilOnce(&spoilt, others, chance);
  if (!sealed) return spoilt;
  const bool resized = spoilt.size() != blob.size();
  if (resized && !chance->OneIn(4)) Set(&spoilt, kSizeAt, spoilt.size());
  Seal(&spoilt);
  return spoilt;
}

Bytes SpoilPrograms(const BlobContent& content, Chance* chance) {
  BlobContent spoilt = content;
  if (!spoilt.entries.empty()) {
    Saved& saved = spoilt.entries[chance->Below(spoilt.entries.size())].saved;
    Graph graph;
    if (DecodeGraph(saved, &graph).ok()) {
      for (size_t i = 1 + chance->Below(3); i > 0; --i) SpoilGraph(&graph, chance);
      saved.payload = EncodeGraph(graph);
      saved.chunks.clear();
      for (const GraphConstant& constant : graph.constants) saved.chunks.push_back(constant.bytes);
    }
    if (chance->OneIn(8)) saved.workspace = static_cast<uint64_t>(chance->Number());
  }
  Bytes bytes;
  if (const Status status = EncodeBlob(spoilt, &bytes); !status.ok()) {
    std::fprintf(stderr, "cannot encode: %s\n", status.message());
    std::exit(2);
  }
  return bytes;
}

}  // namespace fuzz
