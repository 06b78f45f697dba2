// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the words of a command line to the command that they name.
#include "cli/Driver.h"

#include "cli/Command.h"
#include "core/support/Diagnostic.h"
#include "core/support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <exception>
#include <filesystem>

using namespace lh;

namespace {

/// A line of the table of commands.
struct CommandEntry {
  const char *word, *group, *summary;
  CommandRun (*make)(CLI::App &command);
};

constexpr CommandEntry commandTable[] = {
#define LH_COMMAND(NAME, WORD, GROUP, SUMMARY)                                 \
  {WORD, GROUP, SUMMARY, make##NAME##Command},
#include "cli/Commands.def"
};

/// CLI11's help with descriptions that fit the terminal.
class HelpFormatter : public CLI::Formatter {
public:
  explicit HelpFormatter(unsigned width) : width(width) {}

  std::string make_option_desc(const CLI::Option *option) const override {
    return wrapped(option->get_description(), get_column_width());
  }
  std::string make_subcommand(const CLI::App *command) const override {
    constexpr size_t column = 14;
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(),
                             wrapped(command->get_description(), column),
                             column);
    return out.str();
  }

private:
  /// `text` in lines that fit between `column` and the terminal's edge.
  std::string wrapped(StringRef text, size_t column) const {
    constexpr size_t leastWidth = 30;
    size_t room = std::max(width - std::min<size_t>(width, column), leastWidth);
    std::string lines;
    size_t length = 0;
    for (StringRef word : llvm::split(text, ' ')) {
      bool fits = length > 0 && length + 1 + word.size() <= room;
      if (length > 0)
        lines += fits ? ' ' : '\n';
      length = word.size() + (fits ? length + 1 : 0);
      lines += word;
    }
    return lines;
  }

  size_t width;
};

} // namespace

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

/// Reads the words and carries out what they name; the exit code.
static int parseAndRun(std::vector<std::string> words, DriverEnv &env) {
  CLI::App app("Runs declared MLIR pipelines and compares their numbers.",
               "lh-run");
  app.footer("lh-run MANIFEST is short for lh-run run MANIFEST.\n"
             "Exit codes: 0 all passed; 1 a step failed or numbers differ; "
             "2 bad usage or manifest; 77 nothing could run here.");
  app.set_version_flag("--version", versionText());
  app.set_help_all_flag("--help-all", "show every command's flags");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>(env.width));
  std::vector<CommandRun> commands;
  for (const CommandEntry &entry : commandTable)
    commands.push_back(entry.make(
        *app.add_subcommand(entry.word, entry.summary)->group(entry.group)));

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
  env.words = words;
  std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    return answerOf(app, error, env);
  }
  for (auto [entry, run] : llvm::zip(commandTable, commands))
    if (app.got_subcommand(entry.word))
      return run(env);
  return badUsage;
}

int lh::driverMain(int argc, const char *const *argv, DriverEnv &env) {
  try {
    return parseAndRun({argv + 1, argv + argc}, env);
  } catch (const std::exception &unexpected) {
    env.err << "lh-run: internal error: " << unexpected.what() << '\n';
    return 1;
  }
}
