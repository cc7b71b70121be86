<%= banner %>
#include "gen/api/signature.h"

#include <string>

namespace <%= ns %> {
namespace {

// The inputs or the outputs of a node, against one of the two masks of each rule.
class Side {
 public:
  Side(const char* name, const std::vector<DType>& types, uint64_t TypeRule::* mask)
      : name_(name), types_(types), mask_(mask) {}

  // What every position of a rule must be; and if it has a constraint, all the same.
  Status CheckRule(const TypeRule& rule, DType* bound) const {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == DType::kUndefined || !Names(rule.*mask_, i)) continue;
      if (!Lists(rule, types_[i])) return Refuse(i, "there is no kernel for this type");
      if (*rule.constraint == '\0') continue;
      if (*bound == DType::kUndefined) *bound = types_[i];
      if (*bound == types_[i]) continue;
      return Refuse(i,
                    std::string("another of type ") + rule.constraint + " is " + NameOf(*bound));
    }
    return Status();
  }

  // A position that no rule speaks of is one that the schema does not have.
  Status CheckPositions(const KernelRow& row, uint64_t needed, bool gaps) const {
    uint64_t known = 0;
    for (size_t i = 0; i < row.rule_count; ++i) known |= row.rules[i].*mask_;
    for (size_t i = 0; i < types_.size(); ++i) {
      const bool absent = types_[i] == DType::kUndefined;
      if (!Names(known, i)) return Refuse(i, "the operator has no such " + name_);
      if (absent && !gaps) return Missing(i);
    }
    for (size_t i = 0; i < 64; ++i) {
      const bool there = i < types_.size() && types_[i] != DType::kUndefined;
      if ((needed >> i & 1) != 0 && !there) return Missing(i);
    }
    return Status();
  }

 private:
  static bool Lists(const TypeRule& rule, DType dtype) {
    for (size_t i = 0; i < rule.count; ++i) {
      if (rule.types[i] == dtype) return true;
    }
    return false;
  }
  Status Missing(size_t index) const {
    return InvalidArgument(name_ + " " + std::to_string(index) + " is missing");
  }
  Status Refuse(size_t index, const std::string& reason) const {
    return NotImplemented(name_ + " " + std::to_string(index) + " is " + NameOf(types_[index]) +
                          ": " + reason);
  }

  std::string name_;
  const std::vector<DType>& types_;
  uint64_t TypeRule::* mask_;
};

bool IsVariadic(const KernelRow& row) {
  for (size_t i = 0; i < row.rule_count; ++i) {
    if ((row.rules[i].inputs >> 63 & 1) != 0) return true;
  }
  return false;
}

}  // namespace

Status CheckSignature(const KernelRow& row, const std::vector<DType>& inputs,
                      const std::vector<DType>& outputs) {
  const Side in("input", inputs, &TypeRule::inputs);
  const Side out("output", outputs, &TypeRule::outputs);
  // Kernels with any number of inputs go through them without asking.
  EP_RETURN_IF_ERROR(in.CheckPositions(row, row.needed_inputs, !IsVariadic(row)));
  EP_RETURN_IF_ERROR(out.CheckPositions(row, row.needed_outputs, true));
  for (size_t i = 0; i < row.rule_count; ++i) {
    DType bound = DType::kUndefined;
    EP_RETURN_IF_ERROR(in.CheckRule(row.rules[i], &bound));
    EP_RETURN_IF_ERROR(out.CheckRule(row.rules[i], &bound));
  }
  return Status();
}

}  // namespace <%= ns %>
