// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run help`: the commands and their flags, on a terminal or as the page
// docs/reference/cli.md.
#include "cli/Command.h"

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace lh;

namespace {
struct HelpOptions {
  std::string command; ///< empty: all
  bool markdown = false, man = false;
  const CLI::App *program = nullptr;
};

/// A flag under a heading, and the commands that have it.
struct SharedFlag {
  std::string name, meaning;
  std::vector<std::string> commands;
};

/// The reference page. A flag under a heading is described once, for all
/// commands.
class ReferencePage {
public:
  explicit ReferencePage(llvm::raw_ostream &out) : out(out) {}

  void writeList(ArrayRef<const CLI::App *> commands);
  void writeCommand(const CLI::App &command);
  void writeHeadings();

private:
  std::vector<SharedFlag> &under(const std::string &heading);

  llvm::raw_ostream &out;
  /// In the order of their first use.
  std::vector<std::pair<std::string, std::vector<SharedFlag>>> headings;
};
} // namespace

static void addHelpFlags(CLI::App &command, HelpOptions &options) {
  options.program = command.get_parent();
  addValue(command, "command", "COMMAND", options.command,
           "show the flags of this command (default: list the commands)");
  // For the page of the reference, and the manual page that is installed.
  command.add_flag("--markdown", options.markdown)->group("");
  command.add_flag("--man", options.man)->group("");
}

/// What stands for the value of `option`; empty: it has none.
static std::string valueOf(const CLI::Option &option) {
  return StringRef(option.get_type_name()).split(':').first.str();
}

/// What the value may be, where it is one of a few and the words don't quote
/// them.
static std::string choicesOf(const CLI::Option &option) {
  std::string type = option.get_type_name();
  auto [value, check] = StringRef(type).split(':');
  bool isChoice = check.consume_front("{") && check.consume_back("}");
  bool isTold =
      value.contains('|') || StringRef(option.get_description()).contains('\'');
  return isChoice && !isTold ? ": " + llvm::join(llvm::split(check, ','), ", ")
                             : "";
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
  std::string value = valueOf(option);
  if (!value.empty())
    value.insert(0, " ");
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames())
    names.push_back("`-" + name + value + "`");
  for (const std::string &name : option.get_lnames())
    names.push_back("`--" + name + value + "`");
  return llvm::join(names, ", ");
}

static std::string linkTo(StringRef heading) {
  std::string anchor;
  for (char c : heading.lower())
    if (c == ' ' || c == '-' || llvm::isAlnum(c))
      anchor += c == ' ' ? '-' : c;
  return "[" + heading.str() + "](#" + anchor + ")";
}

static std::string meaningOf(const CLI::Option &option) {
  std::string text = escaped(option.get_description()) + choicesOf(option);
  if (option.get_required() && !option.get_positional())
    text += "; required";
  for (const CLI::Option *other : option.get_excludes())
    text += "; not with " + nameOf(*other);
  return text;
}

std::vector<SharedFlag> &ReferencePage::under(const std::string &heading) {
  for (auto &[name, flags] : headings)
    if (name == heading)
      return flags;
  return headings.emplace_back(heading, std::vector<SharedFlag>()).second;
}

void ReferencePage::writeList(ArrayRef<const CLI::App *> commands) {
  out << "# Commands and flags\n"
         "Made from the flags of lh-run (`ninja cli-page`); [the command "
         "line](../cli.md) says what the commands are for.\n";
  std::string group;
  for (const CLI::App *command : commands) {
    if (command->get_group() != group) {
      group = command->get_group();
      out << "\n**" << group << "**\n\n";
    }
    out << "- " << linkTo("lh-run " + command->get_name()) << ": "
        << escaped(command->get_description()) << '\n';
  }
}

void ReferencePage::writeCommand(const CLI::App &command) {
  std::string usage, own;
  std::map<std::string, std::string> others; ///< flags by heading
  for (const CLI::Option *option : command.get_options()) {
    if (option->get_group().empty() || option == command.get_help_ptr() ||
        option == command.get_help_all_ptr())
      continue;
    std::string name = nameOf(*option), meaning = meaningOf(*option);
    const std::string &heading = option->get_group();
    if (option->get_positional())
      usage += " " + CLI::Formatter().make_option_usage(option);
    if (heading == "Options") {
      own += "| " + escaped(name) + " | " + meaning + " |\n";
      continue;
    }
    std::string &line = others[heading];
    line += (line.empty() ? "" : ", ") + name;
    std::vector<SharedFlag> &known = under(heading);
    auto same = llvm::find_if(known, [&](const SharedFlag &flag) {
      return flag.name == name && flag.meaning == meaning;
    });
    if (same == known.end())
      same = known.insert(known.end(), {name, meaning, {}});
    same->commands.push_back(command.get_name());
  }
  out << "\n## lh-run " << command.get_name() << "\n"
      << escaped(command.get_description()) << ".\n\n    lh-run "
      << command.get_name() << usage << " [FLAGS]\n";
  if (!own.empty())
    out << "\n| | |\n| --- | --- |\n" << own;
  for (const auto &[heading, flags] : others)
    out << (heading == others.begin()->first ? "\n- " : "- ") << linkTo(heading)
        << ": " << flags << '\n';
}

void ReferencePage::writeHeadings() {
  for (const auto &[heading, flags] : headings) {
    out << "\n## " << heading
        << "\n| flag | meaning | of |\n| --- | --- | --- |\n";
    for (const SharedFlag &flag : flags)
      out << "| " << escaped(flag.name) << " | " << flag.meaning << " | "
          << llvm::join(flag.commands, ", ") << " |\n";
  }
}

/// `text` as roff has it.
static std::string roff(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\' || c == '-')
      result += '\\';
    result += c;
  }
  if (StringRef(result).starts_with(".") || StringRef(result).starts_with("'"))
    result.insert(0, "\\&");
  return result;
}

/// A flag of the manual page: "-o, --output FILE".
static std::string flagOf(const CLI::Option &option) {
  if (option.get_positional())
    return option.get_name(true, false);
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    names.push_back("--" + name);
  std::string value = valueOf(option);
  return llvm::join(names, ", ") + (value.empty() ? "" : " " + value);
}

/// The manual page, lh-run(1): every command with its flags, each flag's
/// meaning where it first stands.
static void writeManual(ArrayRef<const CLI::App *> commands,
                        llvm::raw_ostream &out) {
  out << ".TH LH\\-RUN 1\n.SH NAME\nlh\\-run \\- run declared MLIR pipelines "
         "and compare their numbers\n.SH SYNOPSIS\n.B lh\\-run\n"
         "[COMMAND] MANIFEST|MODEL [FLAGS]\n.SH COMMANDS\n";
  std::map<std::string, std::string> told; ///< meanings, by flag
  for (const CLI::App *command : commands) {
    out << ".SS " << roff(command->get_name()) << '\n'
        << roff(command->get_description()) << ".\n";
    for (const CLI::Option *option : command->get_options()) {
      if (option->get_group().empty())
        continue;
      std::string flag = flagOf(*option);
      std::string meaning = option->get_description() + choicesOf(*option);
      auto [known, isNew] = told.try_emplace(flag, meaning);
      out << ".TP\n.B " << roff(flag) << '\n'
          << (isNew || known->second != meaning ? roff(meaning) : "as above")
          << '\n';
    }
  }
  out << ".SH EXIT STATUS\n0: all passed; 1: a step failed or numbers differ; "
         "2: bad usage or manifest; 77: nothing could run here.\n";
}

static int runHelp(const HelpOptions &options, DriverEnv &env) {
  const CLI::App &program = *options.program;
  std::vector<const CLI::App *> commands = program.get_subcommands(nullptr);
  if (options.man) {
    writeManual(commands, env.out);
    return 0;
  }
  if (options.markdown) {
    ReferencePage page(env.out);
    page.writeList(commands);
    for (const CLI::App *command : commands)
      page.writeCommand(*command);
    page.writeHeadings();
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
  for (const CLI::App *command : commands) {
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
