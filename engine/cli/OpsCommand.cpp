// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run ops`: the operations that can be imported, as a Markdown table.
#include "cli/Command.h"

#include "compiler/ingress/onnx/OnnxSupport.h"
#include "compiler/ingress/stablehlo/OpTable.h"
#include "core/plan/Globs.h"

using namespace lh;

namespace {
struct OpsOptions {
  std::string name = "*"; ///< a glob
};
} // namespace

static void addOpsFlags(CLI::App &command, OpsOptions &options) {
  addValue(command, "name", "GLOB", options.name,
           "only the operators whose name matches, such as 'Conv*' or "
           "'com.microsoft.*' (default: all of ONNX); 'stablehlo' for those of "
           "StableHLO and CHLO, 'chlo.*' for some of them");
}

static std::string versionsText(const OnnxOperator &op) {
  std::string text;
  for (int64_t version : op.versions)
    text += (text.empty() ? "" : ", ") + std::to_string(version);
  return text;
}

/// Whether the name asks for StableHLO's operations.
static bool isOfStablehlo(StringRef name) {
  return name.starts_with("stablehlo") || name.starts_with("chlo");
}

static int listStablehlo(StringRef name, DriverEnv &env) {
  std::string glob = name == "stablehlo" ? "*" : name.str(), rows;
  Globs wanted(glob);
  for (const std::string &op : importableHloOps())
    if (wanted.match({op}))
      rows += "| " + op + " |\n";
  if (rows.empty()) {
    env.err << "lh-run: error: the importer knows no op '" << name << "'\n";
    return badUsage;
  }
  env.out << "| op |\n| --- |\n" << rows;
  return 0;
}

static int runOps(const OpsOptions &options, DriverEnv &env) {
  if (isOfStablehlo(options.name))
    return listStablehlo(options.name, env);
  std::string rows;
  Globs wanted(options.name);
  for (const OnnxOperator &op : listOnnxOperators())
    if (wanted.match({op.name}))
      rows += "| " + op.name + " | " + versionsText(op) + " | " + op.types +
              " |" + (op.refusal.empty() ? "" : " " + op.refusal) + " |\n";
  if (rows.empty()) {
    env.err << "lh-run: error: the importer knows no op '" << options.name
            << "'\n";
    return badUsage;
  }
  env.out << "| op | forms since opset | first input | refused because |\n"
          << "| --- | --- | --- | --- |\n"
          << rows;
  return 0;
}

CommandRun lh::makeOpsCommand(CLI::App &command) {
  return makeCommand(command, addOpsFlags, runOps);
}
