// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several numerics tests share.
#ifndef LH_TESTS_UNIT_NUMERICS_TESTSUPPORT_H
#define LH_TESTS_UNIT_NUMERICS_TESTSUPPORT_H

#include "core/numerics/Tensor.h"

#include <initializer_list>

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
