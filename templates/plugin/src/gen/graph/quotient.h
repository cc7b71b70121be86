<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace <%= ns %> {

// A directed graph without cycles whose nodes are contracted, several into one, for as long as no
// cycle comes of it. Contracted nodes go by the number of one of them.
//
// The nodes are kept in an order in which they can be computed. A search for a path between two of
// them looks only at what lies between them, from both ends at once, and is over as soon as one end
// has nothing more to look at: that end's finds are moved out of the way when the two become one.
class Quotient {
 public:
  using Edge = std::pair<uint32_t, uint32_t>;

  // Every edge leads from a lower number to a higher one.
  Quotient(size_t count, const std::vector<Edge>& edges);

  // Makes one node of `nodes`. False, and nothing changes, where a path leads out of them and back,
  // or where that would take too long to find out: all searches together may take a number of
  // steps that is proportional to the size of the graph.
  bool Contract(const std::vector<uint32_t>& nodes);

  // What `node` has become a part of.
  uint32_t Find(uint32_t node);
  // All that there are, in an order in which they can be computed.
  std::vector<uint32_t> Order() const;
  const std::vector<uint32_t>& Predecessors(uint32_t node);

 private:
  using Lists = std::vector<std::vector<uint32_t>>;

  // One end of a search.
  struct Search {
    Lists* edges;
    std::vector<uint32_t>* mark;  // of this end
    std::vector<uint32_t>* other;
    std::vector<uint32_t> queue;  // where it begins, and what it has found
    size_t sources;
    size_t next = 0;
    uint64_t spent = 0;

    bool done() const noexcept { return next == queue.size(); }
    uint64_t cost() const { return spent + 1 + (*edges)[queue[next]].size(); }
    std::vector<uint32_t> found() const {
      return {queue.begin() + static_cast<std::ptrdiff_t>(sources), queue.end()};
    }
  };
  struct Range {
    uint64_t low;
    uint64_t high;
  };

  void Sort(std::vector<uint32_t>* nodes) const;
  bool Advance(Search* search, const Range& range);
  void Compact(std::vector<uint32_t>* list, uint32_t node);
  void Unite(const std::vector<uint32_t>& parts, uint32_t place);

  void Unlink(uint32_t node);
  // Puts nodes behind `left`, close to it or to its neighbour.
  void Insert(std::vector<uint32_t> nodes, uint32_t left, bool close);
  void Relabel();

  uint32_t head_;
  uint32_t tail_;
  std::vector<uint32_t> parent_;
  Lists successors_;
  Lists predecessors_;
  // The order: a list, and labels that grow along it.
  std::vector<uint32_t> previous_;
  std::vector<uint32_t> next_;
  std::vector<uint64_t> label_;
  // Nodes that the present search (or compaction) has seen carry its number.
  uint32_t search_ = 0;
  uint32_t compaction_ = 0;
  std::vector<uint32_t> member_;
  std::vector<uint32_t> ahead_;
  std::vector<uint32_t> behind_;
  std::vector<uint32_t> listed_;
  uint64_t budget_;
};

}  // namespace <%= ns %>
