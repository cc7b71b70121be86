<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/strides.h"

namespace <%= ns %> {
namespace {

constexpr size_t kLetters = 52;
constexpr char kEllipsis = '.';
constexpr int64_t kUnknown = -1;

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

size_t LabelOf(char c) { return static_cast<size_t>(c >= 'a' ? c - 'a' + 26 : c - 'A'); }

bool Has(const std::string& term, char c) { return term.find(c) != std::string::npos; }

template <class T>
bool Has(const std::vector<T>& list, T item) {
  for (const T& other : list) {
    if (other == item) return true;
  }
  return false;
}

// One term of the equation, from `*at` up to a comma, an arrow or the end.
Status ReadTerm(const std::string& equation, size_t* at, std::string* term) {
  for (; *at < equation.size() && equation[*at] != ',' && equation[*at] != '-'; ++*at) {
    const char c = equation[*at];
    if (c == ' ') continue;
    if (IsLetter(c)) {
      term->push_back(c);
    } else if (equation.compare(*at, 3, "...") == 0 && !Has(*term, kEllipsis)) {
      term->push_back(kEllipsis);
      *at += 2;
    } else {
      return InvalidArgument(Text() << "cannot read the equation '" << equation.c_str() << "'");
    }
  }
  return Status();
}

// Without an arrow: the ellipsis, and the letters that are there once, in their order.
std::string ImpliedResult(const std::vector<std::string>& terms) {
  std::string all;
  for (const std::string& term : terms) all += term;
  std::string result;
  if (Has(all, kEllipsis)) result.push_back(kEllipsis);
  for (char c = 'A'; c <= 'z'; ++c) {
    const size_t first = all.find(c);
    if (IsLetter(c) && first != std::string::npos && all.find(c, first + 1) == std::string::npos) {
      result.push_back(c);
    }
  }
  return result;
}

Status CheckResult(const <%= k.attrs %>& attrs) {
  for (size_t i = 0; i < attrs.result.size(); ++i) {
    const char c = attrs.result[i];
    bool known = c == kEllipsis;
    for (const std::string& term : attrs.terms) known = known || Has(term, c);
    if (!known || attrs.result.find(c, i + 1) != std::string::npos) {
      return InvalidArgument("an axis of the result must be one of the inputs', and there once");
    }
  }
  return Status();
}

// The axes by number: that of a letter, or one of those behind them that an ellipsis stands for.
struct Axes {
  std::vector<int64_t> dims;                // by number
  std::vector<std::vector<size_t>> inputs;  // the numbers of each input's axes
  std::vector<size_t> result;
};

// The axes of a term. An ellipsis stands for the last `width` of all axes behind the letters.
std::vector<size_t> Spell(const std::string& term, size_t width, size_t count) {
  std::vector<size_t> axes;
  for (char c : term) {
    if (c != kEllipsis) {
      axes.push_back(LabelOf(c));
      continue;
    }
    for (size_t i = count - width; i < count; ++i) axes.push_back(i);
  }
  return axes;
}

Status FindAxes(const <%= k.attrs %>& attrs, Inputs inputs, Axes* axes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  std::vector<size_t> widths(inputs.size());
  size_t widest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& term = attrs.terms[i];
    const bool open = Has(term, kEllipsis);
    const size_t letters = term.size() - (open ? 1 : 0);
    const size_t rank = inputs[i].shape.size();
    if (rank < letters || (rank > letters && !open)) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must have the axes that the equation says");
    }
    widths[i] = rank - letters;
    if (widths[i] > widest) widest = widths[i];
  }
  const size_t count = kLetters + widest;
  axes->dims.assign(count, kUnknown);
  axes->result = Spell(attrs.result, widest, count);
  for (size_t i = 0; i < inputs.size(); ++i) {
    axes->inputs.push_back(Spell(attrs.terms[i], widths[i], count));
    for (size_t j = 0; j < axes->inputs[i].size(); ++j) {
      const int64_t here = inputs[i].shape[j];
      int64_t& dim = axes->dims[axes->inputs[i][j]];
      if (dim == kUnknown || dim == 1) {
        dim = here;
      } else if (here != dim && here != 1) {
        return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "does not fit those before it");
      }
    }
  }
  return Status();
}

// A factor: where its numbers are, and how far apart they are along each of its axes.
template <class T>
struct Factor {
  const T* data;
  std::vector<size_t> axes;  // none of them twice
  std::vector<int64_t> strides;

  // 0 along an axis that it does not have.
  int64_t StrideOf(size_t axis) const {
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] == axis) return strides[i];
    }
    return 0;
  }
};

// An axis that is there twice is walked along the diagonal, one of a single element not at all.
template <class T>
Factor<T> FactorOf(const Tensor& tensor, const std::vector<size_t>& axes, const std::vector<int64_t>& dims) {
  const std::vector<int64_t> dense = DenseStrides(tensor.shape);
  Factor<T> factor{tensor.data<T>(), {}, {}};
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t stride = tensor.shape[i] == dims[axes[i]] ? dense[i] : 0;
    size_t at = 0;
    while (at < factor.axes.size() && factor.axes[at] != axes[i]) ++at;
    if (at == factor.axes.size()) {
      factor.axes.push_back(axes[i]);
      factor.strides.push_back(stride);
    } else {
      factor.strides[at] += stride;
    }
  }
  return factor;
}

// Some axes, and what a step along each means for two factors.
struct Walk {
  std::vector<int64_t> dims;
  std::vector<int64_t> a;
  std::vector<int64_t> b;

  int64_t count() const { return Product(dims, 0, dims.size()); }

  template <class T>
  void Add(size_t axis, int64_t dim, const Factor<T>& x, const Factor<T>& y) {
    dims.push_back(dim);
    a.push_back(x.StrideOf(axis));
    b.push_back(y.StrideOf(axis));
  }

  // Takes off the last axis, or one of a single element where there is none.
  Walk TakeLast() {
    Walk last;
    if (dims.empty()) return Walk{{1}, {0}, {0}};
    last.dims.push_back(dims.back());
    last.a.push_back(a.back());
    last.b.push_back(b.back());
    dims.pop_back();
    a.pop_back();
    b.pop_back();
    return last;
  }
};

// The places of a walk, one after the other.
class Place {
 public:
  Place(const Walk& walk, int64_t number) : walk_(walk), index_(walk.dims.size()) {
    for (size_t i = index_.size(); i-- > 0;) {
      index_[i] = number % walk.dims[i];
      number /= walk.dims[i];
      a += index_[i] * walk.a[i];
      b += index_[i] * walk.b[i];
    }
  }

  void Next() {
    for (size_t i = index_.size(); i-- > 0;) {
      a += walk_.a[i];
      b += walk_.b[i];
      if (++index_[i] < walk_.dims[i]) return;
      a -= walk_.a[i] * walk_.dims[i];
      b -= walk_.b[i] * walk_.dims[i];
      index_[i] = 0;
    }
  }

  int64_t a = 0;
  int64_t b = 0;

 private:
  const Walk& walk_;
  std::vector<int64_t> index_;
};

// Sums of products: a dense result with the axes `kept`, the others of the two factors summed. The
// result is made row by row; a row adds up products of rows, or where it is short, each of its
// elements adds up products along the last axis of the sum.
template <class T>
void Contract(const Factor<T>& a, const Factor<T>& b, const std::vector<size_t>& kept,
              const std::vector<int64_t>& dims, T* y, Exec& exec) {
  constexpr int64_t kLong = 8;
  Walk rows;
  Walk sums;
  for (size_t axis : kept) rows.Add(axis, dims[axis], a, b);
  for (size_t axis : a.axes) {
    if (!Has(kept, axis)) sums.Add(axis, dims[axis], a, b);
  }
  for (size_t axis : b.axes) {
    if (!Has(kept, axis) && !Has(a.axes, axis)) sums.Add(axis, dims[axis], a, b);
  }
  Walk row = rows.TakeLast();
  const bool by_row = row.dims[0] >= kLong;
  if (!by_row) {
    const Walk run = sums.TakeLast();
    rows.dims.push_back(row.dims[0]);
    rows.a.push_back(row.a[0]);
    rows.b.push_back(row.b[0]);
    row = run;
  }
  const int64_t width = row.dims[0];
  const int64_t a_step = row.a[0];
  const int64_t b_step = row.b[0];
  const int64_t count = width == 0 ? 0 : sums.count();
  if (rows.count() == 0) return;
  ParallelFor(exec, rows.count(), (width + 8) * (count + 1), [&](int64_t begin, int64_t end) {
    Place at(rows, begin);
    for (int64_t i = begin; i < end; ++i, at.Next()) {
      T* to = y + (by_row ? i * width : i);
      for (int64_t j = 0; j < (by_row ? width : 1); ++j) to[j] = T{};
      if (count == 0) continue;
      Place term(sums, 0);
      for (int64_t s = 0; s < count; ++s, term.Next()) {
        const T* left = a.data + at.a + term.a;
        const T* right = b.data + at.b + term.b;
        if (by_row) {
          for (int64_t j = 0; j < width; ++j) to[j] = Add(to[j], Multiply(left[j * a_step], right[j * b_step]));
        } else {
          T sum = *to;
          for (int64_t j = 0; j < width; ++j) sum = Add(sum, Multiply(left[j * a_step], right[j * b_step]));
          *to = sum;
        }
      }
    }
  });
}

// Contract into memory of its own.
template <class T>
Status ContractApart(const Factor<T>& a, const Factor<T>& b, const std::vector<size_t>& kept,
                     const std::vector<int64_t>& dims, Factor<T>* result, Exec& exec) {
  Shape shape;
  for (size_t axis : kept) shape.push_back(dims[axis]);
  EP_RETURN_IF_ERROR(CheckShape(shape));
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(ElementCount(shape)) * sizeof(T), &memory));
  Contract(a, b, kept, dims, static_cast<T*>(memory), exec);
  *result = Factor<T>{static_cast<const T*>(memory), kept, DenseStrides(shape)};
  return Status();
}

// The axes of `of` that are among the axes of `wanted`, too.
template <class T>
void KeepThose(const std::vector<size_t>& of, const Factor<T>& wanted, std::vector<size_t>* kept) {
  for (size_t axis : of) {
    if (Has(wanted.axes, axis) && !Has(*kept, axis)) kept->push_back(axis);
  }
}

// Two factors at a time, from the left. An axis is summed as soon as no other factor has it.
template <class T>
Status Run(const Axes& axes, Inputs inputs, Outputs outputs, Exec& exec) {
  const T one_value = T(1);
  const Factor<T> one{&one_value, {}, {}};
  std::vector<Factor<T>> factors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    factors.push_back(FactorOf<T>(inputs[i], axes.inputs[i], axes.dims));
  }
  const Factor<T> result{nullptr, axes.result, {}};
  for (size_t i = 0; i < factors.size(); ++i) {  // first what is in one factor alone
    std::vector<size_t> kept;
    KeepThose(factors[i].axes, result, &kept);
    for (size_t j = 0; j < factors.size(); ++j) {
      if (j != i) KeepThose(factors[i].axes, factors[j], &kept);
    }
    if (factors.size() > 1 && kept.size() < factors[i].axes.size()) {
      EP_RETURN_IF_ERROR(ContractApart(factors[i], one, kept, axes.dims, &factors[i], exec));
    }
  }
  Factor<T> product = factors[0];
  for (size_t i = 1; i + 1 < factors.size(); ++i) {
    std::vector<size_t> kept;
    for (const std::vector<size_t>& both : {product.axes, factors[i].axes}) {
      KeepThose(both, result, &kept);
      for (size_t j = i + 1; j < factors.size(); ++j) KeepThose(both, factors[j], &kept);
    }
    EP_RETURN_IF_ERROR(ContractApart(product, factors[i], kept, axes.dims, &product, exec));
  }
  const Factor<T>& last = factors.size() > 1 ? factors.back() : one;
  Contract(product, last, axes.result, axes.dims, outputs[0].data<T>(), exec);
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  std::string equation;
  EP_RETURN_IF_ERROR(node.Get("equation", &equation));
  size_t at = 0;
  for (bool more = true; more; at += more ? 1 : 0) {
    attrs.terms.emplace_back();
    EP_RETURN_IF_ERROR(ReadTerm(equation, &at, &attrs.terms.back()));
    more = at < equation.size() && equation[at] == ',';
  }
  if (attrs.terms.size() != node.InputCount()) {
    return InvalidArgument("the equation must have one term for each input");
  }
  if (at == equation.size()) {
    attrs.result = ImpliedResult(attrs.terms);
    return Status();
  }
  if (equation.compare(at, 2, "->") != 0) return InvalidArgument("the equation has half an arrow");
  at += 2;
  EP_RETURN_IF_ERROR(ReadTerm(equation, &at, &attrs.result));
  if (at != equation.size()) return InvalidArgument("the equation must end with its result");
  return CheckResult(attrs);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Axes axes;
  EP_RETURN_IF_ERROR(FindAxes(attrs, inputs, &axes));
  shapes[0].clear();
  for (size_t axis : axes.result) shapes[0].push_back(axes.dims[axis]);
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  Axes axes;
  EP_RETURN_IF_ERROR(FindAxes(attrs, inputs, &axes));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Run", "axes, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
