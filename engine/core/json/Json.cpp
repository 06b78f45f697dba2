// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON that is written.
#include "core/json/Json.h"

#include <cmath>

using namespace lh;

std::string lh::printJson(const Json &json, std::optional<int> indent) {
  return json.dump(indent.value_or(-1), ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         (indent ? "\n" : "");
}

Json lh::jsonNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}
