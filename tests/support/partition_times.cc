// How long the division of a graph takes: `partition_times ROUNDS` prints a line per graph, with
// its name and the least seconds per node of all rounds, first that of a small graph, then of a
// large one. Compiled with the partition of a generated project; PROJECT is the project's
// namespace.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gen/graph/partition.h"

namespace {

using namespace PROJECT;  // NOLINT

constexpr uint32_t kSmall = 500;
constexpr uint32_t kLarge = 5000;
constexpr double kNever = 1e9;

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

Edges Chain(uint32_t count) {
  Edges edges;
  for (uint32_t i = 1; i < count; ++i) edges.emplace_back(i - 1, i);
  return edges;
}

// A value splits in two, which meet again in the next node, and so on.
Edges Diamonds(uint32_t count) {
  Edges edges;
  for (uint32_t i = 0; i + 3 < count; i += 3) {
    for (uint32_t side : {i + 1, i + 2}) {
      edges.emplace_back(i, side);
      edges.emplace_back(side, i + 3);
    }
  }
  return edges;
}

// Every node reads its neighbours above and to the left.
Edges Grid(uint32_t count) {
  constexpr uint32_t kWidth = 20;
  Edges edges;
  for (uint32_t i = 0; i < count; ++i) {
    if ((i + 1) % kWidth != 0 && i + 1 < count) edges.emplace_back(i, i + 1);
    if (i + kWidth < count) edges.emplace_back(i, i + kWidth);
  }
  return edges;
}

Edges FanOut(uint32_t count) {
  Edges edges;
  for (uint32_t i = 1; i < count; ++i) edges.emplace_back(0, i);
  return edges;
}

// ... and all that was read is read again by one.
Edges FanOutAndIn(uint32_t count) {
  Edges edges = FanOut(count - 1);
  for (uint32_t i = 1; i + 1 < count; ++i) edges.emplace_back(i, count - 1);
  return edges;
}

// Every node reads its predecessor, and all of them read the first.
Edges Skips(uint32_t count) {
  Edges edges = Chain(count);
  for (uint32_t i = 2; i < count; ++i) edges.emplace_back(0, i);
  return edges;
}

Edges None(uint32_t) { return {}; }

struct Setting {
  const char* name;
  uint32_t unsupported;  // each n-th node; 0: none
  size_t max_group;
  bool pairs;  // neighbours are to stay together
};

PartitionProblem Problem(Edges edges, uint32_t count, const Setting& setting) {
  PartitionProblem problem;
  problem.max_group = setting.max_group;
  for (uint32_t i = 0; i < count; ++i) {
    problem.supported.push_back(setting.unsupported == 0 || (i + 1) % setting.unsupported != 0);
  }
  std::sort(edges.begin(), edges.end());
  problem.first_successor.assign(count + 1, 0);
  for (const auto& [from, to] : edges) {
    ++problem.first_successor[from + 1];
    problem.successors.push_back(to);
  }
  for (uint32_t i = 0; i < count; ++i) {
    problem.first_successor[i + 1] += problem.first_successor[i];
  }
  for (uint32_t i = 0; setting.pairs && i + 1 < count; i += 4) {
    if (problem.supported[i] && problem.supported[i + 1]) problem.together.push_back({i, i + 1});
  }
  return problem;
}

double SecondsPerNode(const PartitionProblem& problem) {
  std::vector<NodeGroup> groups;
  const auto start = std::chrono::steady_clock::now();
  const Status status = Partition(problem, &groups);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!status.ok() || groups.empty()) {
    std::fprintf(stderr, "no groups: %s\n", status.message());
    std::exit(1);
  }
  return taken.count() / static_cast<double>(problem.supported.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  constexpr std::pair<const char*, Edges (*)(uint32_t)> kShapes[] = {
      {"chain", Chain},    {"diamonds", Diamonds},          {"grid", Grid},
      {"fan-out", FanOut}, {"fan-out and in", FanOutAndIn}, {"skips", Skips},
      {"no edges", None}};
  constexpr Setting kSettings[] = {{"all supported", 0, 0, false},
                                   {"each 7th not", 7, 0, false},
                                   {"groups of 50", 11, 50, false},
                                   {"pairs", 5, 0, true}};
  for (const auto& [shape, edges] : kShapes) {
    for (const Setting& setting : kSettings) {
      const PartitionProblem small = Problem(edges(kSmall), kSmall, setting);
      const PartitionProblem large = Problem(edges(kLarge), kLarge, setting);
      double least_small = kNever;
      double least_large = kNever;
      for (int round = 0; round < rounds; ++round) {  // in turns: a busy moment meets both
        least_large = std::min(least_large, SecondsPerNode(large));
        for (uint32_t i = 0; i < kLarge / kSmall; ++i) {
          least_small = std::min(least_small, SecondsPerNode(small));
        }
      }
      std::printf("%s, %s\t%.3e\t%.3e\n", shape, setting.name, least_small, least_large);
    }
  }
}
