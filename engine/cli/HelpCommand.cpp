// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run help`: the commands and their flags, on a terminal or as the page
// docs/reference/cli.md.
#include "cli/Command.h"

#include "cli/ExitCodes.h"
#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>

#include <map>

using namespace lh;

namespace {
struct HelpOptions {
  std::string command; ///< empty: all
  bool markdown = false;
  const CLI::App *program = nullptr;
};

/// Writes the reference page. Flags under a heading that several commands have
/// are described once.
class ReferencePage {
public:
  ReferencePage(const CLI::App &program, llvm::raw_ostream &out);

  void write();

private:
  using Options = std::vector<const CLI::Option *>;

  void writeList();
  void writeCommand(const CLI::App &command);
  void writeShared(const std::string &heading);
  void writeRow(const CLI::Option &option, const std::string &more = "");
  bool isShared(const std::string &heading) const {
    return users.at(heading).size() > 1;
  }

  std::vector<const CLI::App *> commands;
  llvm::raw_ostream &out;
  std::vector<std::string> headings; ///< in the order of their first use
  /// By heading, the commands that have flags under it.
  std::map<std::string, std::vector<const CLI::App *>> users;
};
} // namespace

static void addHelpFlags(CLI::App &command, HelpOptions &options) {
  options.program = command.get_parent();
  command
      .add_option("command", options.command,
                  "show the flags of this command (default: list the commands)")
      ->type_name("COMMAND");
  command.add_flag("--markdown", options.markdown)->group(""); // for the page
}

/// The flags of a command, or its arguments, without those that are hidden.
static std::vector<const CLI::Option *> partsOf(const CLI::App &command,
                                                bool isPositional) {
  return command.get_options([&](const CLI::Option *option) {
    return option->get_positional() == isPositional &&
           !option->get_group().empty() && option != command.get_help_ptr();
  });
}

/// What stands for its value, and what that may be where it is one of a few.
static std::pair<StringRef, StringRef> valueOf(StringRef type) {
  auto [name, check] = type.split(':');
  bool isChoice = check.consume_front("{") && check.consume_back("}");
  return {name, isChoice && !name.contains('|') ? check : ""};
}

/// The text with what Markdown would take for its own escaped.
static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    if (StringRef("|*<").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

/// "`-o`, `--output`" and the like, with what stands for the value.
static std::string nameOf(const CLI::Option &option) {
  if (option.get_positional())
    return "`" + option.get_name(true, false) + "`";
  std::string value;
  if (option.get_type_size() != 0)
    value = " " + valueOf(option.get_type_name()).first.str();
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames())
    names.push_back("`" + escaped("-" + name + value) + "`");
  for (const std::string &name : option.get_lnames())
    names.push_back("`" + escaped("--" + name + value) + "`");
  return llvm::join(names, ", ");
}

static std::string linkTo(StringRef heading) {
  std::string anchor;
  for (char c : heading.lower())
    if (c == ' ' || llvm::isAlnum(c))
      anchor += c == ' ' ? '-' : c;
  return "[" + heading.str() + "](#" + anchor + ")";
}

/// The same flag with the same words.
static bool hasFlag(const CLI::App &command, const CLI::Option &flag) {
  return llvm::any_of(partsOf(command, false), [&](const CLI::Option *option) {
    return option->get_name() == flag.get_name() &&
           option->get_description() == flag.get_description();
  });
}

ReferencePage::ReferencePage(const CLI::App &program, llvm::raw_ostream &out)
    : commands(program.get_subcommands(nullptr)), out(out) {
  for (const CLI::App *command : commands)
    for (const CLI::Option *option : partsOf(*command, false)) {
      std::vector<const CLI::App *> &known = users[option->get_group()];
      if (known.empty())
        headings.push_back(option->get_group());
      if (known.empty() || known.back() != command)
        known.push_back(command);
    }
  users["Options"].clear(); // a command's own
}

void ReferencePage::writeRow(const CLI::Option &option,
                             const std::string &more) {
  StringRef choices = valueOf(option.get_type_name()).second;
  out << "| " << nameOf(option) << " | " << escaped(option.get_description());
  if (!choices.empty() && !StringRef(option.get_description()).contains('\''))
    out << ": " << llvm::join(llvm::split(choices, ','), ", ");
  if (option.get_required() && !option.get_positional())
    out << "; required";
  for (const CLI::Option *other : option.get_excludes())
    out << "; not with " << nameOf(*other);
  out << more << " |\n";
}

void ReferencePage::writeList() {
  std::string group;
  for (const CLI::App *command : commands) {
    if (command->get_group() != group) {
      group = command->get_group();
      out << "\n**" << group << "**\n\n";
    }
    out << "- " << linkTo("lh-run " + command->get_name()) << ": "
        << escaped(command->get_description()) << '\n';
  }
  out << '\n';
}

void ReferencePage::writeCommand(const CLI::App &command) {
  out << "## lh-run " << command.get_name() << '\n'
      << escaped(command.get_description()) << "\n\n    lh-run "
      << command.get_name();
  Options arguments = partsOf(command, true), flags = partsOf(command, false);
  if (!flags.empty())
    out << " [FLAGS]";
  for (const CLI::Option *argument : arguments) {
    std::string name = argument->get_name(true, false);
    if (argument->get_expected_max() >= CLI::detail::expected_max_vector_size)
      name += "...";
    out << ' ' << (argument->get_required() ? name : "[" + name + "]");
  }
  out << "\n\n";
  std::map<std::string, std::vector<std::string>> shared;
  Options own = arguments;
  for (const CLI::Option *flag : flags)
    if (isShared(flag->get_group()))
      shared[flag->get_group()].push_back("`--" + flag->get_lnames().front() +
                                          "`");
    else
      own.push_back(flag);
  if (!own.empty())
    out << "| | |\n| --- | --- |\n";
  for (const CLI::Option *option : own)
    writeRow(*option);
  if (!own.empty())
    out << '\n';
  for (const std::string &heading : headings)
    if (shared.count(heading))
      out << "- " << linkTo(heading) << ": "
          << llvm::join(shared[heading], ", ") << '\n';
  if (!shared.empty())
    out << '\n';
}

void ReferencePage::writeShared(const std::string &heading) {
  out << "## " << heading << "\n| flag | meaning |\n| --- | --- |\n";
  Options known;
  for (const CLI::App *user : users[heading])
    for (const CLI::Option *flag : partsOf(*user, false)) {
      bool isKnown = llvm::any_of(known, [&](const CLI::Option *other) {
        return other->get_name() == flag->get_name() &&
               other->get_description() == flag->get_description();
      });
      if (flag->get_group() != heading || isKnown)
        continue;
      known.push_back(flag);
      std::vector<std::string> names;
      for (const CLI::App *each : users[heading])
        if (hasFlag(*each, *flag))
          names.push_back(each->get_name());
      bool isOfAll = names.size() == users[heading].size();
      writeRow(*flag, isOfAll ? "" : " (" + llvm::join(names, ", ") + ")");
    }
  out << '\n';
}

void ReferencePage::write() {
  out << "# Commands and flags\n"
         "Made from the flags of lh-run (`ninja cli-page`); "
         "[the command line](../cli.md) says what the commands are for.\n";
  writeList();
  for (const CLI::App *command : commands)
    writeCommand(*command);
  for (const std::string &heading : headings)
    if (isShared(heading))
      writeShared(heading);
}

static int runHelp(const HelpOptions &options, DriverEnv &env) {
  const CLI::App &program = *options.program;
  if (options.markdown) {
    ReferencePage(program, env.out).write();
    return 0;
  }
  // Not help(): that delegates to the command that was called, this one.
  auto show = [&](const CLI::App &app, const std::string &name) {
    env.out << app.get_formatter()->make_help(&app, name,
                                              CLI::AppFormatMode::Normal);
    return 0;
  };
  if (options.command.empty())
    return show(program, program.get_name());
  std::vector<StringRef> names;
  for (const CLI::App *command : program.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
    if (names.back() == options.command)
      return show(*command, program.get_name() + " " + options.command);
  }
  env.err << "lh-run: '" << visibleLine(options.command) << "' is no command"
          << didYouMean(options.command, names)
          << "\nRun with --help for the commands.\n";
  return badUsage;
}

CommandRun lh::makeHelpCommand(CLI::App &command) {
  return makeCommand(command, addHelpFlags, runHelp);
}
