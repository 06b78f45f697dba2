// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run completion SHELL`: completion scripts from the declared flags.
#include "cli/Command.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace lh;

namespace {
struct CompletionOptions {
  std::string shell;
  const CLI::App *program = nullptr; ///< whose words are to be completed
};
} // namespace

static void addCompletionFlags(CLI::App &command, CompletionOptions &options) {
  options.program = command.get_parent();
  command.add_option("shell", options.shell, "'bash', 'zsh' or 'fish'")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

/// A command's flags; the commands themselves under "".
using Words = std::map<std::string, std::vector<std::string>>;

static Words wordsOf(const CLI::App &program) {
  Words words;
  for (const CLI::App *command : program.get_subcommands(nullptr)) {
    words[""].push_back(command->get_name());
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        words[command->get_name()].push_back("--" + name);
  }
  return words;
}

static void printBash(const Words &words, llvm::raw_ostream &out) {
  out << "# lh-run completion for bash; source this file\n"
         "_lh_run() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
         "  case ${COMP_WORDS[1]} in\n";
  for (const auto &[command, flags] : words)
    if (!command.empty() && command != "run")
      out << "  " << command << ") flags='" << llvm::join(flags, " ")
          << "' ;;\n";
  out << "  *) flags='" << llvm::join(words.at("run"), " ") << "' ;;\n"
      << "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '"
      << llvm::join(words.at(""), " ")
      << "' -- \"$word\") $(compgen -f -- \"$word\"))\n"
         "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _lh_run lh-run\n";
}

static void printZsh(const Words &words, llvm::raw_ostream &out) {
  out << "#compdef lh-run\n"
         "# lh-run completion for zsh; put it into a folder of $fpath as "
         "_lh-run\n"
         "local -a flags\n"
         "if (( CURRENT == 2 )); then\n"
         "  compadd -- "
      << llvm::join(words.at(""), " ")
      << "\n"
         "  _files\n"
         "  return\n"
         "fi\n"
         "case $words[2] in\n";
  for (const auto &[command, flags] : words)
    if (!command.empty() && command != "run")
      out << "  " << command << ") flags=(" << llvm::join(flags, " ")
          << ") ;;\n";
  out << "  *) flags=(" << llvm::join(words.at("run"), " ") << ") ;;\n"
      << "esac\n"
         "if [[ $PREFIX == -* ]]; then\n"
         "  compadd -- $flags\n"
         "else\n"
         "  _files\n"
         "fi\n";
}

static void printFish(const Words &words, llvm::raw_ostream &out) {
  out << "# lh-run completion for fish\n"
         "complete -c lh-run -n __fish_use_subcommand -a '"
      << llvm::join(words.at(""), " ") << "'\n";
  for (const auto &[command, flags] : words) {
    if (command.empty())
      continue;
    for (const std::string &flag : flags)
      out << "complete -c lh-run -n '__fish_seen_subcommand_from " << command
          << "' -l " << llvm::StringRef(flag).ltrim('-') << '\n';
  }
}

static int runCompletion(const CompletionOptions &options, DriverEnv &env) {
  Words words = wordsOf(*options.program);
  if (options.shell == "bash")
    printBash(words, env.out);
  else if (options.shell == "zsh")
    printZsh(words, env.out);
  else
    printFish(words, env.out);
  return 0;
}

CommandRun lh::makeCompletionCommand(CLI::App &command) {
  return makeCommand(command, addCompletionFlags, runCompletion);
}
