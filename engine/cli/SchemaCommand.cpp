// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run schema`: the JSON Schema of a file form.
#include "cli/Commands.h"
#include "core/manifest/Schema.h"

using namespace lh;

int lh::schemaCommand(const SchemaOptions &options, DriverEnv &env) {
  if (options.which == "bubble")
    env.out << bubbleFileSchema();
  else if (options.which == "target")
    env.out << targetSchema();
  else
    env.out << manifestSchema();
  return 0;
}
