<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// A box by its corners.
struct Box {
  float top, left, bottom, right;
};

Box BoxAt(bool center_point, const float* at) {
  if (center_point) {
    const float half_width = at[2] / 2;
    const float half_height = at[3] / 2;
    return {at[1] - half_height, at[0] - half_width, at[1] + half_height, at[0] + half_width};
  }
  // Any two corners that lie diagonally.
  const bool upright = at[0] <= at[2];
  const bool forward = at[1] <= at[3];
  return {upright ? at[0] : at[2], forward ? at[1] : at[3], upright ? at[2] : at[0],
          forward ? at[3] : at[1]};
}

// Whether the part of their union that two boxes share is larger than a threshold.
bool Overlap(const Box& a, const Box& b, float threshold) {
  const float left = a.left > b.left ? a.left : b.left;
  const float right = a.right < b.right ? a.right : b.right;
  const float top = a.top > b.top ? a.top : b.top;
  const float bottom = a.bottom < b.bottom ? a.bottom : b.bottom;
  if (!(right > left) || !(bottom > top)) return false;
  const float shared = (right - left) * (bottom - top);
  const float a_area = (a.right - a.left) * (a.bottom - a.top);
  const float b_area = (b.right - b.left) * (b.bottom - b.top);
  const float all = a_area + b_area - shared;
  if (!(shared > 0) || !(a_area > 0) || !(b_area > 0) || !(all > 0)) return false;
  return shared / all > threshold;
}

// The boxes of a class, of which the one with the largest score comes out first; of equal ones the
// one that the model has first. A heap, since most boxes never come out.
class Candidates {
 public:
  explicit Candidates(const float* scores) : scores_(scores) {}

  void Add(int64_t box) { heap_.push_back(box); }

  void Order() {
    for (size_t i = heap_.size() / 2; i-- > 0;) Sink(i);
  }

  bool empty() const { return heap_.empty(); }

  int64_t Take() {
    const int64_t best = heap_.front();
    heap_.front() = heap_.back();
    heap_.pop_back();
    Sink(0);
    return best;
  }

 private:
  bool Before(int64_t a, int64_t b) const {
    return scores_[a] > scores_[b] || (scores_[a] == scores_[b] && a < b);
  }

  void Sink(size_t i) {
    for (size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
      if (!Before(heap_[child], heap_[i])) return;
      const int64_t larger = heap_[child];
      heap_[child] = heap_[i];
      heap_[i] = larger;
      i = child;
    }
  }

  const float* scores_;
  std::vector<int64_t> heap_;
};

// What the optional inputs say.
struct Limits {
  int64_t most = 0;  // boxes of a class
  float overlap = 0;
  bool has_score = false;
  float score = 0;
};

Status ReadLimits(Inputs inputs, Limits* limits) {
  for (size_t i = 2; i < 5; ++i) {
    if (inputs.has(i) && inputs[i].size() != 1) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must be a scalar");
    }
  }
  if (inputs.has(2)) limits->most = *inputs[2].data<int64_t>();
  if (inputs.has(3)) limits->overlap = *inputs[3].data<float>();
  limits->has_score = inputs.has(4);
  if (limits->has_score) limits->score = *inputs[4].data<float>();
  if (limits->overlap >= 0 && limits->overlap <= 1) return Status();
  return InvalidArgument("iou_threshold must lie between 0 and 1");
}

// Adds the boxes of a class that are kept, the best first.
void SelectOfClass(const Limits& limits, bool center_point, const float* boxes, const float* scores,
                   int64_t count, std::vector<int64_t>* selected) {
  Candidates candidates(scores);
  for (int64_t i = 0; i < count; ++i) {
    if (!limits.has_score || scores[i] > limits.score) candidates.Add(i);
  }
  candidates.Order();
  std::vector<Box> kept;
  while (!candidates.empty() && static_cast<int64_t>(kept.size()) < limits.most) {
    const int64_t next = candidates.Take();
    const Box box = BoxAt(center_point, boxes + next * 4);
    bool free = true;
    for (size_t i = 0; free && i < kept.size(); ++i) free = !Overlap(box, kept[i], limits.overlap);
    if (!free) continue;
    kept.push_back(box);
    selected->push_back(next);
  }
}

// All boxes that are kept: image, class and box of each.
Status Select(const <%= k.attrs %>& attrs, Inputs inputs, std::vector<int64_t>* triples) {
  const Shape& boxes = inputs[0].shape;
  const Shape& scores = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(boxes, 3, "boxes"));
  EP_RETURN_IF_ERROR(CheckRank(scores, 3, "scores"));
  if (boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2]) {
    return InvalidArgument(Text() << "boxes of shape " << boxes << " do not fit scores of shape " << scores);
  }
  Limits limits;
  EP_RETURN_IF_ERROR(ReadLimits(inputs, &limits));
  if (inputs[1].size() == 0) return Status();
  const int64_t count = scores[2];
  std::vector<int64_t> selected;
  for (int64_t row = 0; row < scores[0] * scores[1]; ++row) {
    const int64_t image = row / scores[1];
    selected.clear();
    SelectOfClass(limits, attrs.center_point_box, inputs[0].data<float>() + image * count * 4,
                  inputs[1].data<float>() + row * count, count, &selected);
    for (int64_t box : selected) triples->insert(triples->end(), {image, row % scores[1], box});
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t center_point_box = 0;
  EP_RETURN_IF_ERROR(node.Get("center_point_box", &center_point_box));
  attrs.center_point_box = center_point_box != 0;
  if (center_point_box == 0 || center_point_box == 1) return Status();
  return InvalidArgument(Text() << "center_point_box is " << center_point_box);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  std::vector<int64_t> triples;
  EP_RETURN_IF_ERROR(Select(attrs, inputs, &triples));
  shapes[0] = {static_cast<int64_t>(triples.size()) / 3, 3};
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec&) {
  std::vector<int64_t> triples;
  EP_RETURN_IF_ERROR(Select(attrs, inputs, &triples));
  int64_t* y = outputs[0].data<int64_t>();
  for (size_t i = 0; i < triples.size(); ++i) y[i] = triples[i];
  return Status();
}

}  // namespace <%= ns %>
