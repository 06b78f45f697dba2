// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Schemas (draft-07) of the file formats, from the table of keys.
#ifndef LH_CORE_MANIFEST_SCHEMA_H
#define LH_CORE_MANIFEST_SCHEMA_H

#include <string>

namespace lh {

/// Each ends in a newline, as it is kept in docs/schema/.
std::string manifestSchema();
std::string bubbleFileSchema();
std::string targetSchema();

} // namespace lh

#endif // LH_CORE_MANIFEST_SCHEMA_H
