// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run schema`: the JSON Schema of a file form, or a page of docs/reference.
#include "cli/Command.h"

#include "core/graph/DefaultFacts.h"
#include "core/manifest/Schema.h"

using namespace lh;

namespace {
struct SchemaOptions {
  std::string which = "manifest";
  std::string page; ///< of docs/reference; empty: none
};
} // namespace

static void addSchemaFlags(CLI::App &command, SchemaOptions &options) {
  command
      .add_option(
          "which", options.which,
          "the form: 'manifest' (default), 'bubble', 'target', 'kernel', "
          "'tool' or 'tuned'")
      ->check(CLI::IsMember(
          {"manifest", "bubble", "target", "kernel", "tool", "tuned"}));
  addValue(
      command, "--markdown", "PAGE", options.page,
      "print a page of docs/reference instead: manifest, diagnostics or facts")
      ->check(CLI::IsMember({"manifest", "diagnostics", "facts"}));
}

static int printFactsPage(DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  auto files = readDefaultFacts(env.libraryDirs, sources, sink);
  if (failed(files))
    return badUsage;
  env.out << factsPage(*files);
  return 0;
}

static int runSchema(const SchemaOptions &options, DriverEnv &env) {
  if (options.page == "facts")
    return printFactsPage(env);
  if (options.page == "diagnostics")
    env.out << diagnosticsPage();
  else if (options.page == "manifest")
    env.out << manifestPage();
  else if (options.which == "bubble")
    env.out << bubbleFileSchema();
  else if (options.which == "target")
    env.out << targetSchema();
  else if (options.which == "kernel")
    env.out << kernelSchema();
  else if (options.which == "tool")
    env.out << toolSchema();
  else if (options.which == "tuned")
    env.out << tunedSchema();
  else
    env.out << manifestSchema();
  return 0;
}

CommandRun lh::makeSchemaCommand(CLI::App &command) {
  return makeCommand(command, addSchemaFlags, runSchema);
}
