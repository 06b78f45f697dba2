// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an op says which windows it reads.
#include "compiler/gaps/products/Windows.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"

using namespace lh;
using namespace mlir;

/// Each field that the attribute holds, by its name there.
static constexpr std::pair<StringLiteral, int64_t Windows::*> fields[] = {
    {"images", &Windows::batch},
    {"height", &Windows::height},
    {"width", &Windows::width},
    {"window_rows", &Windows::rows},
    {"window_columns", &Windows::columns},
    {"channels", &Windows::channels},
    {"row_stride", &Windows::rowStride},
    {"column_stride", &Windows::columnStride},
    {"row_dilation", &Windows::rowDilation},
    {"column_dilation", &Windows::columnDilation},
    {"groups", &Windows::groups}};

Attribute Windows::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<DataLayoutEntryInterface> entries;
  for (auto [name, field] : fields)
    entries.push_back(DataLayoutEntryAttr::get(
        builder.getStringAttr(name), builder.getI64IntegerAttr(this->*field)));
  return MapAttr::get(context, entries);
}

std::optional<Windows> Windows::from(Attribute attribute) {
  auto map = dyn_cast_or_null<MapAttr>(attribute);
  if (!map)
    return std::nullopt;
  Windows windows{};
  for (auto [name, field] : fields) {
    auto value = map.query(StringAttr::get(map.getContext(), name));
    auto number = failed(value) ? IntegerAttr() : dyn_cast<IntegerAttr>(*value);
    if (!number)
      return std::nullopt;
    windows.*field = number.getInt();
  }
  return windows;
}
