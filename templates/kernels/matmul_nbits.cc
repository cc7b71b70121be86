<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

enum Input : size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };

int64_t Blocks(const <%= k.attrs %>& attrs) { return (attrs.K - 1) / attrs.block_size + 1; }

// Bytes that `count` numbers are packed into.
int64_t PackedBytes(const <%= k.attrs %>& attrs, int64_t count) { return (count * attrs.bits + 7) / 8; }

// The number at `index` of those packed into `bytes`, the first of them in the lowest bits.
unsigned Unpack(const uint8_t* bytes, int64_t index, int64_t bits) {
  const int64_t bit = index * bits;
  return bytes[bit / 8] >> (bit % 8) & ((1u << bits) - 1);
}

// A times the weights, which are unpacked and scaled piece by piece. The weights lie by columns of
// the matrix that they are, each in blocks of its own scale and zero point.
class UnpackedProduct final : public Products<float> {
 public:
  UnpackedProduct(const ProductSizes& sizes, const <%= k.attrs %>& attrs, Inputs inputs, float* y)
      : Products<float>(sizes),
        attrs_(attrs),
        blocks_(Blocks(attrs)),
        a_(inputs[kA].data<float>()),
        weights_(inputs[kB].data<uint8_t>()),
        scales_(inputs[kScales].data<float>()),
        groups_(inputs.has(kGroups) ? inputs[kGroups].data<int32_t>() : nullptr),
        y_(y) {
    if (!inputs.has(kZeroPoints)) return;
    if (inputs[kZeroPoints].dtype == DType::kUint8) {
      packed_zeros_ = inputs[kZeroPoints].data<uint8_t>();
    } else {
      zeros_ = inputs[kZeroPoints].data<float>();
    }
  }

  MatrixView<float> Left(int64_t) const override { return {a_, attrs_.K, 1}; }
  float* Result(int64_t) const override { return y_; }

  void PackRight(int64_t, const Piece& piece, float* to) const override {
    const int64_t bits = attrs_.bits;
    for (int64_t j = piece.j; j < piece.j_end; ++j, ++to) {
      const uint8_t* column = weights_ + j * blocks_ * PackedBytes(attrs_, attrs_.block_size);
      if (groups_ != nullptr) {
        for (int64_t p = piece.p; p < piece.p_end; ++p) {
          const int64_t block = groups_[p];
          const float number = static_cast<float>(Unpack(column, p, bits));
          to[(p - piece.p) * kTileCols<float>] = (number - Zero(j, block)) * scales_[j * blocks_ + block];
        }
        continue;
      }
      for (int64_t p = piece.p; p < piece.p_end;) {
        const int64_t block = p / attrs_.block_size;
        const int64_t block_end = (block + 1) * attrs_.block_size;
        const int64_t end = block_end < piece.p_end ? block_end : piece.p_end;
        const float scale = scales_[j * blocks_ + block];
        const float zero = Zero(j, block);
        for (; p < end; ++p) {
          const float number = static_cast<float>(Unpack(column, p, bits));
          to[(p - piece.p) * kTileCols<float>] = (number - zero) * scale;
        }
      }
    }
  }

 private:
  float Zero(int64_t column, int64_t block) const {
    if (zeros_ != nullptr) return zeros_[column * blocks_ + block];
    if (packed_zeros_ == nullptr) return static_cast<float>(1 << (attrs_.bits - 1));
    const uint8_t* bytes = packed_zeros_ + column * PackedBytes(attrs_, blocks_);
    return static_cast<float>(Unpack(bytes, block, attrs_.bits));
  }

  const <%= k.attrs %>& attrs_;
  int64_t blocks_;
  const float* a_;
  const uint8_t* weights_;
  const float* scales_;
  const uint8_t* packed_zeros_ = nullptr;
  const float* zeros_ = nullptr;
  const int32_t* groups_;
  float* y_;
};

Status CheckCount(Inputs inputs, Input input, int64_t count, const char* what) {
  if (!inputs.has(input) || inputs[input].size() == count) return Status();
  return BadShape(<%= k.label | cpp_string %>, input, inputs[input].shape, what);
}

// Whether the weights are left out: one of their dimensions is 0, and the others are as ever.
bool HasNoWeights(Inputs inputs) { return inputs[kB].size() == 0; }

Status CheckWeights(const <%= k.attrs %>& attrs, Inputs inputs) {
  const Shape& b = inputs[kB].shape;
  const Shape whole{attrs.N, Blocks(attrs), PackedBytes(attrs, attrs.block_size)};
  EP_RETURN_IF_ERROR(CheckShape(whole));
  EP_RETURN_IF_ERROR(CheckRank(b, 3, "B"));
  for (size_t i = 0; i < 3; ++i) {
    if (b[i] != whole[i] && b[i] != 0) {
      return InvalidArgument(Text() << "B has shape " << b << ", but K, N, bits and block_size make it " << whole);
    }
  }
  EP_RETURN_IF_ERROR(CheckCount(inputs, kBias, attrs.N, "must have N values"));
  if (HasNoWeights(inputs)) return Status();
  const int64_t blocks = attrs.N * whole[1];
  EP_RETURN_IF_ERROR(CheckCount(inputs, kScales, blocks, "must have one value for each block"));
  if (inputs.has(kZeroPoints) && inputs[kZeroPoints].dtype == DType::kUint8) {
    const int64_t bytes = attrs.N * PackedBytes(attrs, whole[1]);
    EP_RETURN_IF_ERROR(CheckCount(inputs, kZeroPoints, bytes, "must have one packed value for each block"));
  } else {
    EP_RETURN_IF_ERROR(CheckCount(inputs, kZeroPoints, blocks, "must have one value for each block"));
  }
  if (!inputs.has(kGroups) || inputs[kGroups].size() == attrs.K) return Status();
  return CheckCount(inputs, kGroups, whole[1] * attrs.block_size, "must have one value for each row of B");
}

Status CheckGroups(const <%= k.attrs %>& attrs, const Tensor& groups) {
  const int32_t* data = groups.data<int32_t>();
  for (int64_t p = 0; p < attrs.K; ++p) {
    if (data[p] < 0 || data[p] >= Blocks(attrs)) {
      return InvalidArgument(Text() << "g_idx names block " << int64_t{data[p]} << " of " << Blocks(attrs));
    }
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  bool has_k = false;
  bool has_n = false;
  bool has_block_size = false;
  EP_RETURN_IF_ERROR(node.Get("K", &attrs.K, &has_k));
  EP_RETURN_IF_ERROR(node.Get("N", &attrs.N, &has_n));
  EP_RETURN_IF_ERROR(node.Get("block_size", &attrs.block_size, &has_block_size));
  EP_RETURN_IF_ERROR(node.Get("bits", &attrs.bits));
  EP_RETURN_IF_ERROR(node.Get("weight_prepacked", &attrs.weight_prepacked));
  if (!has_k || !has_n || !has_block_size) {
    return InvalidArgument("K, N and block_size must be given");
  }
  const int64_t block = attrs.block_size;
  if (attrs.K < 1 || attrs.N < 1 || block < 16 || block > (int64_t{1} << 32) || (block & (block - 1)) != 0) {
    return InvalidArgument(Text() << "K is " << attrs.K << ", N is " << attrs.N << ", and block_size " << block << "; it must be a power of two from 16 on");
  }
  if (attrs.bits != 2 && attrs.bits != 4 && attrs.bits != 8) {
    return NotImplemented(Text() << "weights of " << attrs.bits << " bits");
  }
  if (attrs.weight_prepacked != 0) return NotImplemented("weights packed for a certain device");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& a = inputs[kA].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (a.empty() || a.back() != attrs.K) {
    return InvalidArgument(Text() << "A has shape " << a << ", but K is " << attrs.K);
  }
  EP_RETURN_IF_ERROR(CheckWeights(attrs, inputs));
  shapes[0] = a;
  shapes[0].back() = attrs.N;
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  float* y = outputs[0].data<float>();
  const float* bias = inputs.has(kBias) ? inputs[kBias].data<float>() : nullptr;
  const int64_t rows = outputs[0].size() / attrs.N;
  ParallelFor(exec, rows, attrs.N, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < attrs.N; ++j) y[i * attrs.N + j] = bias != nullptr ? bias[j] : 0.0f;
    }
  });
  if (HasNoWeights(inputs)) return Status();
  if (inputs.has(kGroups)) EP_RETURN_IF_ERROR(CheckGroups(attrs, inputs[kGroups]));
  AddProducts(UnpackedProduct({1, rows, attrs.N, attrs.K}, attrs, inputs, y), exec);
  return Status();
}

}  // namespace <%= ns %>
