// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON that is written: its keys stay in the order in which they are set.
#ifndef LH_CORE_JSON_JSON_H
#define LH_CORE_JSON_JSON_H

#include "core/support/Diagnostic.h"

#include <nlohmann/json.hpp>

namespace lh {

using Json = nlohmann::ordered_json;

/// Valid whatever bytes its texts hold: what is no UTF-8 is replaced. A line
/// for each value, set off by `indent`, with a line end after the last; without
/// `indent`, in one line that has no end.
std::string printJson(const Json &json, std::optional<int> indent = 2);

/// A number, or "nan", "inf", "-inf".
Json jsonNumber(double value);

} // namespace lh

#endif // LH_CORE_JSON_JSON_H
