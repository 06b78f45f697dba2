// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per command; each returns the process's exit code.
#ifndef LH_CLI_COMMANDS_H
#define LH_CLI_COMMANDS_H

#include "cli/CommandLine.h"

namespace lh {

int runCommand(const RunCommandOptions &options, DriverEnv &env);
int benchCommand(const BenchOptions &options, DriverEnv &env);
int testCommand(const TestOptions &options, DriverEnv &env);
int checkCommand(const CheckOptions &options, DriverEnv &env);
int recordCommand(const RecordOptions &options, DriverEnv &env);
int listCommand(const ListOptions &options, DriverEnv &env);
int listSpace(const ListOptions &options, DriverEnv &env);
int drawCommand(const DrawOptions &options, DriverEnv &env);
int applyCommand(const ApplyOptions &options, DriverEnv &env);
int schemaCommand(const SchemaOptions &options, DriverEnv &env);
int opsCommand(const OpsOptions &options, DriverEnv &env);
int doctorCommand(const DoctorOptions &options, DriverEnv &env);
int compareCommand(const CompareOptions &options, DriverEnv &env);
int reportCommand(const ReportOptions &options, DriverEnv &env);
int ciCommand(const CiOptions &options, DriverEnv &env);
int coverageCommand(const CoverageOptions &options, DriverEnv &env);
int bisectCommand(const BisectOptions &options, DriverEnv &env);
int reduceCommand(const ReduceOptions &options, DriverEnv &env);
int contractCommand(const ContractOptions &options, DriverEnv &env);
int inferCommand(const InferOptions &options, DriverEnv &env);
int planCommand(const PlanOptions &options, DriverEnv &env);
int explainCommand(const ExplainOptions &options, DriverEnv &env);
int completionCommand(const CompletionOptions &options, DriverEnv &env);

} // namespace lh

#endif // LH_CLI_COMMANDS_H
