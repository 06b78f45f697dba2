// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command is: its flags, what it does once they are read, and the exit
// codes that commands share.
#ifndef LH_CLI_COMMAND_H
#define LH_CLI_COMMAND_H

#include "core/support/DriverEnv.h"

#include "llvm/ADT/FunctionExtras.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace lh {

/// The command line or a file that it names can't be used.
inline constexpr int badUsage = 2;
/// Nothing ran, as nothing can here; test systems count that as skipped.
inline constexpr int nothingRan = 77;

/// Carries a command out; the exit code.
using CommandRun = llvm::unique_function<int(DriverEnv &)>;

/// A flag, or an argument, with a value that `type` stands for in its help.
template <typename Value>
CLI::Option *addValue(CLI::App &command, const char *name, const char *type,
                      Value &value, const char *help) {
  return command.add_option(name, value, help)->type_name(type);
}

/// Declares the flags of `command`, which fill in an Options, and returns what
/// `run` does with it.
template <typename Options>
CommandRun makeCommand(CLI::App &command,
                       void (*addFlags)(CLI::App &, Options &),
                       int (*run)(const Options &, DriverEnv &)) {
  auto options = std::make_unique<Options>();
  addFlags(command, *options);
  return [options = std::move(options), run](DriverEnv &env) {
    return run(*options, env);
  };
}

// One function per line of the table, in <Name>Command.cpp.
#define LH_COMMAND(NAME, WORD, GROUP, SUMMARY)                                 \
  CommandRun make##NAME##Command(CLI::App &command);
#include "cli/Commands.def"

} // namespace lh

#endif // LH_CLI_COMMAND_H
