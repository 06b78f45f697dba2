// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Schemas (draft-07) of the file formats, and pages of docs/reference/,
// from the tables that the engine works by.
#ifndef LH_CORE_MANIFEST_SCHEMA_H
#define LH_CORE_MANIFEST_SCHEMA_H

#include "core/manifest/Manifest.h"

namespace lh {

/// Each ends in a newline, as it is kept in docs/schema/.
std::string manifestSchema();
std::string bubbleFileSchema();
std::string targetSchema();
std::string kernelSchema();
std::string toolSchema();
std::string tunedSchema();

/// manifest.md: every key of manifests, bubble files, targets, kernels,
/// tools and tuned files.
std::string manifestPage();

/// diagnostics.md: every kind, what it means and what to do.
std::string diagnosticsPage();

/// facts.md: what facts mean, and their defaults. `files` are those of
/// targets/defaults/, by their names without ".yaml".
std::string factsPage(const std::map<std::string, DefaultFacts> &files);

} // namespace lh

#endif // LH_CORE_MANIFEST_SCHEMA_H
