// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several numerics tests share.
#ifndef LH_TESTS_UNIT_NUMERICS_TESTSUPPORT_H
#define LH_TESTS_UNIT_NUMERICS_TESTSUPPORT_H

#include "core/numerics/Tensor.h"

#include <initializer_list>

/// Every element type.
inline constexpr lh::DType allTypes[] = {
    lh::DType::Bool,       lh::DType::Int8,           lh::DType::Int16,
    lh::DType::Int32,      lh::DType::Int64,          lh::DType::UInt8,
    lh::DType::UInt16,     lh::DType::UInt32,         lh::DType::UInt64,
    lh::DType::Float16,    lh::DType::BFloat16,       lh::DType::Float32,
    lh::DType::Float64,    lh::DType::Float8E4M3FN,   lh::DType::Float8E4M3FNUZ,
    lh::DType::Float8E5M2, lh::DType::Float8E5M2FNUZ, lh::DType::Float8E8M0,
    lh::DType::Float4E2M1, lh::DType::Int4,           lh::DType::UInt4,
    lh::DType::Int2,       lh::DType::UInt2};

/// A tensor of the given elements, converted as Tensor::set() does.
inline lh::Tensor tensorOf(lh::DType dtype, std::vector<int64_t> shape,
                           std::initializer_list<double> values) {
  lh::Tensor tensor(dtype, std::move(shape));
  int64_t i = 0;
  for (double value : values)
    tensor.set(i++, value);
  return tensor;
}

inline lh::Tensor vectorOf(lh::DType dtype,
                           std::initializer_list<double> values) {
  return tensorOf(dtype, {int64_t(values.size())}, values);
}

/// The elements as doubles.
inline std::vector<double> valuesOf(const lh::Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    values.push_back(tensor.at(i));
  return values;
}

/// The kind's name of the only diagnostic; else how many there are.
inline std::string onlyKind(const lh::CollectingSink &sink) {
  if (sink.diagnostics().size() != 1)
    return std::to_string(sink.diagnostics().size()) + " diagnostics";
  return lh::kindName(sink.diagnostics()[0].kind).str();
}

#endif // LH_TESTS_UNIT_NUMERICS_TESTSUPPORT_H
