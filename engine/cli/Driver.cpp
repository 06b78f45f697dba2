// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From words to the command that they name.
#include "cli/Driver.h"

#include "cli/Commands.h"

#include <exception>

using namespace lh;

namespace {

struct Dispatch {
  DriverEnv &env;

  int operator()(const RunCommandOptions &options) {
    return runCommand(options, env);
  }
  int operator()(const BenchOptions &options) {
    return benchCommand(options, env);
  }
  int operator()(const TestOptions &options) {
    return testCommand(options, env);
  }
  int operator()(const CheckOptions &options) {
    return checkCommand(options, env);
  }
  int operator()(const RecordOptions &options) {
    return recordCommand(options, env);
  }
  int operator()(const ListOptions &options) {
    return options.space ? listSpace(options, env) : listCommand(options, env);
  }
  int operator()(const DrawOptions &options) {
    return drawCommand(options, env);
  }
  int operator()(const ApplyOptions &options) {
    return applyCommand(options, env);
  }
  int operator()(const SchemaOptions &options) {
    return schemaCommand(options, env);
  }
  int operator()(const OpsOptions &options) { return opsCommand(options, env); }
  int operator()(const DoctorOptions &options) {
    return doctorCommand(options, env);
  }
  int operator()(const CompareOptions &options) {
    return compareCommand(options, env);
  }
  int operator()(const ReportOptions &options) {
    return reportCommand(options, env);
  }
  int operator()(const CiOptions &options) { return ciCommand(options, env); }
  int operator()(const CoverageOptions &options) {
    return coverageCommand(options, env);
  }
  int operator()(const ExplainOptions &options) {
    return explainCommand(options, env);
  }
  int operator()(const BisectOptions &options) {
    return bisectCommand(options, env);
  }
  int operator()(const ReduceOptions &options) {
    return reduceCommand(options, env);
  }
  int operator()(const ContractOptions &options) {
    return contractCommand(options, env);
  }
  int operator()(const InferOptions &options) {
    return inferCommand(options, env);
  }
  int operator()(const PlanOptions &options) {
    return planCommand(options, env);
  }
  int operator()(const CompletionOptions &options) {
    return completionCommand(options, env);
  }
};

} // namespace

int lh::driverMain(int argc, const char *const *argv, DriverEnv &env) {
  try {
    std::variant<Command, int> parsed = parseCommandLine(argc, argv, env);
    if (int *code = std::get_if<int>(&parsed))
      return *code;
    return std::visit(Dispatch{env}, std::get<Command>(parsed));
  } catch (const std::exception &unexpected) {
    env.err << "lh-run: internal error: " << unexpected.what() << '\n';
    return 1;
  }
}
