<%= banner %>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "gen/graph/partition.h"

// Partitions of graphs: the rules, against brute force on many small graphs; and large ones.
namespace <%= ns %>::test {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

PartitionProblem Problem(size_t count, Edges edges, const std::vector<uint32_t>& unsupported = {}) {
  PartitionProblem problem;
  problem.supported.assign(count, 1);
  for (uint32_t node : unsupported) problem.supported[node] = 0;
  problem.first_successor.assign(count + 1, 0);
  std::sort(edges.begin(), edges.end());
  for (const auto& [from, to] : edges) {
    ++problem.first_successor[from + 1];
    problem.successors.push_back(to);
  }
  for (size_t i = 0; i < count; ++i) problem.first_successor[i + 1] += problem.first_successor[i];
  return problem;
}

std::vector<NodeGroup> Divide(const PartitionProblem& problem) {
  std::vector<NodeGroup> groups;
  const Status status = Partition(problem, &groups);
  CHECK_THAT(status.ok(), std::string("a partition: ") + status.message());
  return groups;
}

// A graph of few nodes, as a matrix.
class Matrix {
 public:
  explicit Matrix(const PartitionProblem& problem) : reach_(problem.supported.size()) {
    for (uint32_t i = 0; i < reach_.size(); ++i) {
      for (uint32_t e = problem.first_successor[i]; e < problem.first_successor[i + 1]; ++e) {
        edges_.emplace_back(i, problem.successors[e]);
      }
    }
  }

  // Whether there is a cycle once nodes with equal numbers in `part` are one.
  bool HasCycle(const std::vector<uint32_t>& part) {
    const size_t count = reach_.size();
    for (auto& row : reach_) row.assign(count, false);
    for (const auto& [from, to] : edges_) {
      if (part[from] != part[to]) reach_[part[from]][part[to]] = true;
    }
    for (size_t k = 0; k < count; ++k) {
      for (size_t i = 0; i < count; ++i) {
        if (!reach_[i][k]) continue;
        for (size_t j = 0; j < count; ++j) reach_[i][j] = reach_[i][j] || reach_[k][j];
      }
    }
    for (size_t i = 0; i < count; ++i) {
      if (reach_[i][i]) return true;
    }
    return false;
  }

  const Edges& edges() const { return edges_; }

 private:
  std::vector<std::vector<bool>> reach_;
  Edges edges_;
};

// Which sets of `together` can be kept whole, in their order.
std::vector<bool> WholeSets(const PartitionProblem& problem, Matrix& matrix) {
  std::vector<uint32_t> part(problem.supported.size());
  for (uint32_t i = 0; i < part.size(); ++i) part[i] = i;
  std::vector<bool> whole;
  for (const auto& set : problem.together) {
    std::vector<uint32_t> tried = part;
    for (uint32_t node : set) tried[node] = set.front();
    const bool fits = problem.max_group == 0 || set.size() <= problem.max_group;
    whole.push_back(fits && !matrix.HasCycle(tried));
    if (whole.back()) part = tried;
  }
  return whole;
}

void CheckRules(const PartitionProblem& problem, const std::string& what) {
  const std::vector<NodeGroup> groups = Divide(problem);
  const size_t count = problem.supported.size();
  Matrix matrix(problem);
  std::vector<uint32_t> part(count);
  std::vector<int> seen(count, 0);
  std::vector<bool> joins(count, true);
  for (uint32_t i = 0; i < count; ++i) part[i] = i;
  uint32_t last = 0;
  for (const NodeGroup& group : groups) {
    if (!CHECK_THAT(!group.empty(), what + "no empty group")) return;
    CHECK_THAT(group.front() >= last, what + "groups are sorted");
    CHECK_THAT(std::is_sorted(group.begin(), group.end()), what + "nodes are sorted");
    CHECK_THAT(problem.max_group == 0 || group.size() <= problem.max_group, what + "max_group");
    last = group.front();
    for (uint32_t node : group) {
      ++seen[node];
      part[node] = group.front();
    }
  }
  for (size_t i = 0; i < count; ++i) {
    CHECK_THAT(seen[i] == (problem.supported[i] ? 1 : 0), what + "each node where it belongs");
  }
  CHECK_THAT(!matrix.HasCycle(part), what + "no path leads out of a group and back");

  const std::vector<bool> whole = WholeSets(problem, matrix);
  for (size_t s = 0; s < whole.size(); ++s) {
    const auto& set = problem.together[s];
    const auto size_of = [&](uint32_t node) {
      return std::count(part.begin(), part.end(), part[node]);
    };
    for (uint32_t node : set) {
      if (whole[s]) {
        CHECK_THAT(part[node] == part[set.front()], what + "a set is kept whole");
      } else {
        CHECK_THAT(size_of(node) == 1, what + "the nodes of an impossible set stand alone");
        joins[node] = false;
      }
    }
  }
  for (const auto& [from, to] : matrix.edges()) {
    const uint32_t a = part[from];
    const uint32_t b = part[to];
    if (!problem.supported[from] || !problem.supported[to]) continue;
    if (a == b || !joins[a] || !joins[b]) continue;
    std::vector<uint32_t> joined = part;
    std::replace(joined.begin(), joined.end(), b, a);
    const auto size = static_cast<size_t>(std::count(joined.begin(), joined.end(), a));
    if (problem.max_group != 0 && size > problem.max_group) continue;
    CHECK_THAT(matrix.HasCycle(joined), what + "no two groups could be one");
  }
}

void TestRandomGraphs() {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](size_t limit) { return static_cast<uint32_t>(random() % limit); };
    const size_t count = 2 + pick(seed % 20 == 0 ? 40 : 13);
    const uint32_t density = 1 + pick(4);
    Edges edges;
    for (uint32_t to = 1; to < count; ++to) {
      for (uint32_t i = pick(density + 1); i-- > 0;) {
        const uint32_t reach = pick(3) == 0 ? to : std::min<uint32_t>(to, 4);
        edges.emplace_back(to - 1 - pick(reach), to);
      }
    }
    std::vector<uint32_t> unsupported;
    const uint32_t share = 1 + pick(8);
    for (uint32_t i = 0; i < count; ++i) {
      if (pick(share + 1) == 0) unsupported.push_back(i);
    }
    PartitionProblem problem = Problem(count, edges, unsupported);
    if (seed % 3 == 1) problem.max_group = 1 + pick(5);
    if (seed % 2 == 1) {
      std::vector<uint32_t> free;
      for (uint32_t i = 0; i < count; ++i) {
        if (problem.supported[i]) free.push_back(i);
      }
      if (pick(2) == 0) std::shuffle(free.begin(), free.end(), random);
      while (free.size() > 1 && pick(3) != 0) {
        const size_t size = std::min<size_t>(free.size(), 2 + pick(2));
        problem.together.emplace_back(free.end() - static_cast<std::ptrdiff_t>(size), free.end());
        free.resize(free.size() - size);
      }
    }
    CheckRules(problem, "graph " + std::to_string(seed) + ": ");
  }
}

void TestShapes() {
  CHECK(Divide(Problem(0, {})).empty());
  CHECK(Divide(Problem(2, {}, {0, 1})).empty());
  CHECK(Divide(Problem(3, {{0, 1}, {1, 2}})).size() == 1);
  // Around an unsupported node: 0 and 2 must not meet.
  CHECK(Divide(Problem(3, {{0, 1}, {1, 2}, {0, 2}}, {1})).size() == 2);
  // Only through other groups: 0 -> 1 -> (2) -> 3, and 0 -> 3.
  CHECK(Divide(Problem(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {2})).size() == 2);
  // What no edge connects is no group.
  CHECK(Divide(Problem(4, {{0, 1}, {2, 3}})).size() == 2);
  // Several edges between two nodes.
  CHECK(Divide(Problem(2, {{0, 1}, {0, 1}})).size() == 1);

  PartitionProblem chain = Problem(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  chain.max_group = 2;
  CHECK((Divide(chain) == std::vector<NodeGroup>{{0, 1}, {2, 3}, {4}}));
  chain.together = {{1, 2}};  // not to be cut
  CHECK((Divide(chain) == std::vector<NodeGroup>{{0}, {1, 2}, {3, 4}}));
  chain.together = {{1, 2, 3}};  // too many for a group
  CHECK((Divide(chain) == std::vector<NodeGroup>{{0}, {1}, {2}, {3}, {4}}));
}

void TestErrors() {
  const PartitionProblem good = Problem(3, {{0, 1}, {1, 2}});
  std::vector<NodeGroup> groups;
  const auto refused = [&](PartitionProblem problem, const char* what) {
    const Status status = Partition(problem, &groups);
    CHECK_THAT(status.code() == StatusCode::kInvalidArgument, std::string(what) + " is refused");
    CHECK_THAT(*status.message() != '\0', std::string(what) + ": the error says why");
  };
  PartitionProblem bad = good;
  bad.successors[0] = 0;
  refused(bad, "an edge to its own node");
  bad.successors = {1, 0};
  refused(bad, "an edge that leads back");
  bad.successors = {1, 7};
  refused(bad, "an edge that leads out");
  bad = good;
  bad.first_successor = {0, 2, 1, 2};
  refused(bad, "edges that begin before they end");
  bad.first_successor = {0, 1};
  refused(bad, "a list that is too short");
  bad.first_successor = {0, 1, 2, 3};
  refused(bad, "more edges than there are");
  bad.first_successor.clear();
  refused(bad, "no list at all");
  for (const auto& set : {std::vector<uint32_t>{0, 9}, {0, 0}}) {
    bad = good;
    bad.together = {set};
    refused(bad, "a set of what is not there, or twice");
  }
  bad = Problem(3, {{0, 1}}, {2});
  bad.together = {{1, 2}};
  refused(bad, "a set with an unsupported node");
}

PartitionProblem Chain(uint32_t count, uint32_t gap) {
  Edges edges;
  std::vector<uint32_t> unsupported;
  for (uint32_t i = 1; i < count; ++i) {
    edges.emplace_back(i - 1, i);
    if (gap != 0 && i % gap == 0) unsupported.push_back(i);
    if (gap != 0 && i >= gap) edges.emplace_back(i - gap, i);
  }
  return Problem(count, edges, unsupported);
}

PartitionProblem Grid(uint32_t count, uint32_t gap) {
  constexpr uint32_t kWidth = 20;
  Edges edges;
  std::vector<uint32_t> unsupported;
  for (uint32_t i = 0; i < count; ++i) {
    if (i % kWidth != 0) edges.emplace_back(i - 1, i);
    if (i >= kWidth) edges.emplace_back(i - kWidth, i);
    if (gap != 0 && i % gap == 0) unsupported.push_back(i);
  }
  return Problem(count, edges, unsupported);
}

// One node feeds all others, partly through unsupported nodes, and all feed the last one.
PartitionProblem Fan(uint32_t count, uint32_t gap) {
  Edges edges;
  std::vector<uint32_t> unsupported;
  for (uint32_t i = 1; i + 1 < count; ++i) {
    edges.emplace_back(0, i);
    edges.emplace_back(i, count - 1);
    if (gap != 0 && i % gap == 0) unsupported.push_back(i);
    if (gap != 0 && i % gap == 1 && i > 1) edges.emplace_back(i - 1, i);
  }
  return Problem(count, edges, unsupported);
}

// One value from outside that many nodes read, and nobody reads what they make.
void TestLooseNodes() {
  PartitionProblem problem = Problem(6, {{1, 2}}, {4});
  CHECK_THAT(Divide(problem) == std::vector<NodeGroup>({{0, 3, 5}, {1, 2}}), std::string("loose nodes are one"));
  problem.max_group = 2;
  CHECK_THAT(Divide(problem) == std::vector<NodeGroup>({{0, 3}, {1, 2}, {5}}), std::string("or few"));
  problem.max_group = 0;
  problem.together = {{3, 5}};
  for (const NodeGroup& group : Divide(problem)) {
    const auto has = [&](uint32_t node) {
      return std::find(group.begin(), group.end(), node) != group.end();
    };
    CHECK_THAT(has(3) == has(5), std::string("what belongs together is in one group"));
  }
}

// Far more nodes than a call stack has room for.
void TestLargeGraphs() {
  using Maker = PartitionProblem (*)(uint32_t, uint32_t);
  const std::pair<const char*, Maker> makers[] = {{"chain", Chain}, {"grid", Grid}, {"fan", Fan}};
  for (const auto& [name, make] : makers) {
    CHECK_THAT(Divide(make(100000, 0)).size() == 1, std::string(name) + ": one group");
    for (uint32_t gap : {3U, 7U}) {
      const PartitionProblem problem = make(20000, gap);
      size_t grouped = 0;
      for (const NodeGroup& group : Divide(problem)) grouped += group.size();
      const auto supported = std::count(problem.supported.begin(), problem.supported.end(), 1);
      CHECK_THAT(grouped == static_cast<size_t>(supported), std::string(name) + ": all are grouped");
    }
  }
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  TestShapes();
  TestErrors();
  TestRandomGraphs();
  TestLooseNodes();
  TestLargeGraphs();
  return Verdict();
}
