// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run schema`: the JSON Schema of a file form.
#include "cli/Command.h"

#include "core/manifest/Schema.h"

using namespace lh;

namespace {
struct SchemaOptions {
  std::string which = "manifest";
};
} // namespace

static void addSchemaFlags(CLI::App &command, SchemaOptions &options) {
  command
      .add_option("which", options.which,
                  "the form: manifest (default), bubble or target")
      ->check(CLI::IsMember({"manifest", "bubble", "target"}));
}

static int runSchema(const SchemaOptions &options, DriverEnv &env) {
  if (options.which == "bubble")
    env.out << bubbleFileSchema();
  else if (options.which == "target")
    env.out << targetSchema();
  else
    env.out << manifestSchema();
  return 0;
}

CommandRun lh::makeSchemaCommand(CLI::App &command) {
  return makeCommand(command, addSchemaFlags, runSchema);
}
