// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares every command, and turns the words of a command line into the
// options of one of them. The flags are declared in *Flags.cpp.
#include "cli/CommandLine.h"

#include "cli/BisectFlags.h"
#include "cli/CiFlags.h"
#include "cli/ContractFlags.h"
#include "cli/ExitCodes.h"
#include "cli/ExplainFlags.h"
#include "cli/GraphFlags.h"
#include "cli/ReduceFlags.h"
#include "cli/RunFlags.h"
#include "cli/ToolFlags.h"
#include "cli/Version.h"
#include "core/support/Diagnostic.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>

using namespace lh;

namespace {

/// The commands, each with the options that its flags fill.
class Commands {
public:
  explicit Commands(CLI::App &app) : app(app) {}

  template <typename Options>
  void add(CLI::App *(*declare)(CLI::App &, Options &)) {
    Entry &entry = entries.emplace_back(Entry{nullptr, Options()});
    entry.app = declare(app, std::get<Options>(entry.options));
  }

  /// The one that the parsed words name.
  Command &chosen() {
    auto found =
        std::find_if(entries.begin(), entries.end(),
                     [](const Entry &entry) { return entry.app->parsed(); });
    return found->options;
  }

private:
  struct Entry {
    CLI::App *app;
    Command options;
  };
  CLI::App &app;
  std::deque<Entry> entries; ///< a deque, as flags point into them
};

} // namespace

static void declareAll(Commands &commands) {
  commands.add(declareRun);
  commands.add(declareBench);
  commands.add(declareTest);
  commands.add(declareRecord);
  commands.add(declareCheck);
  commands.add(declareList);
  commands.add(declareDraw);
  commands.add(declareApply);
  commands.add(declareSchema);
  commands.add(declareOps);
  commands.add(declareDoctor);
  commands.add(declareCompare);
  commands.add(declareReport);
  commands.add(declareCompletion);
  commands.add(declareCi);
  commands.add(declareCoverage);
  commands.add(declareBisect);
  commands.add(declareReduce);
  commands.add(declareContract);
  commands.add(declareInfer);
  commands.add(declarePlan);
  commands.add(declareExplain);
}

static std::map<std::string, std::vector<std::string>>
collectWords(CLI::App &app) {
  std::map<std::string, std::vector<std::string>> words;
  for (CLI::App *command : app.get_subcommands({})) {
    words[""].push_back(command->get_name());
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        words[command->get_name()].push_back("--" + name);
  }
  return words;
}

static std::vector<std::string> namesOfCommands(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  return names;
}

/// Whether the words begin with a manifest, which `run` then takes.
static bool beginWithManifest(const std::vector<std::string> &words,
                              const CLI::App &app) {
  auto asksForInformation = [](const std::string &word) {
    return word == "--help" || word == "-h" || word == "--help-all" ||
           word == "--version";
  };
  return !words.empty() &&
         !llvm::is_contained(namesOfCommands(app), words.front()) &&
         !asksForInformation(words.front());
}

/// What to say of a word that is neither a command nor looks like a file, and
/// is none; empty where it is anything else.
static std::string mistypedCommand(const std::string &word,
                                   const CLI::App &app) {
  if (word.find_first_of("./") != std::string::npos ||
      word.rfind('-', 0) == 0 || std::filesystem::exists(word))
    return "";
  std::vector<std::string> names = namesOfCommands(app);
  return "'" + word + "' is neither a command nor a file" +
         didYouMean(word, std::vector<StringRef>(names.begin(), names.end())) +
         "\nRun with --help for the commands.";
}

/// What to say of a word that looks like a flag and is none: that alone, since
/// its value was taken for something else. Empty where there is no such word.
static std::string mistypedFlag(const CLI::App &app) {
  for (const CLI::App *command : app.get_subcommands())
    for (const std::string &word : command->remaining(true)) {
      if (word.size() < 2 || word.front() != '-')
        continue;
      StringRef flag = StringRef(word).split('=').first;
      std::vector<std::string> names;
      for (const CLI::Option *option : command->get_options())
        for (const std::string &name : option->get_lnames())
          names.push_back("--" + name);
      return "'" + flag.str() + "' is no flag of '" + command->get_name() +
             "'" +
             didYouMean(flag,
                        std::vector<StringRef>(names.begin(), names.end())) +
             "\nRun with --help for its flags.";
    }
  return "";
}

/// Writes what help and version flags ask for, or what is wrong; the exit
/// code.
static int answerOf(const CLI::App &app, const CLI::Error &error,
                    DriverEnv &env) {
  std::ostringstream out, err;
  bool isAnswer = app.exit(error, out, err) == 0;
  std::string mistake = isAnswer ? "" : mistypedFlag(app);
  if (!mistake.empty())
    env.err << "lh-run: " << mistake << "\n";
  else if (isAnswer)
    env.out << out.str();
  else
    env.err << "lh-run: " << err.str();
  return isAnswer ? 0 : badUsage;
}

std::variant<Command, int>
lh::parseCommandLine(int argc, const char *const *argv, DriverEnv &env) {
  CLI::App app("Runs declared MLIR pipelines and compares their numbers.",
               "lh-run");
  app.footer("lh-run MANIFEST is short for lh-run run MANIFEST.\n"
             "Exit codes: 0 all passed; 1 a step failed or numbers differ; "
             "2 bad usage or manifest; 77 nothing could run here.");
  app.set_version_flag("--version", versionText());
  app.set_help_all_flag("--help-all", "show every command's flags");
  app.require_subcommand(1);
  Commands commands(app);
  declareAll(commands);

  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    env.err << app.help();
    return badUsage;
  }
  if (beginWithManifest(words, app)) {
    std::string mistake = mistypedCommand(words.front(), app);
    if (!mistake.empty()) {
      env.err << "lh-run: " << mistake << "\n";
      return badUsage;
    }
    words.insert(words.begin(), "run");
  }
  std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    return answerOf(app, error, env);
  }
  Command &command = commands.chosen();
  if (auto *completion = std::get_if<CompletionOptions>(&command))
    completion->words = collectWords(app);
  return command;
}
