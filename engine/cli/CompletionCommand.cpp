// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run completion SHELL`: completion scripts from the declared flags.
#include "cli/Command.h"

#include "core/graph/Resolver.h"
#include "core/support/FileSystem.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace lh;

namespace {
struct CompletionOptions {
  std::string shell;
  std::string words; ///< of which kind candidates are printed; empty: none
  std::string manifest;
  const CLI::App *program = nullptr; ///< whose words are to be completed
};
} // namespace

static void addCompletionFlags(CLI::App &command, CompletionOptions &options) {
  options.program = command.get_parent();
  command.add_option("shell", options.shell, "'bash', 'zsh' or 'fish'")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  // For the scripts, which ask what stands for a value.
  command.add_option("--words", options.words)->group("");
  command.add_option("--of", options.manifest)->group("");
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
         "  local last=${COMP_WORDS[COMP_CWORD-1]} manifest each\n"
         "  for each in \"${COMP_WORDS[@]:1}\"; do\n"
         "    [ -f \"$each\" ] && manifest=$each && break\n"
         "  done\n"
         "  case $last in\n"
         "  --target|--pipeline|--case)\n"
         "    COMPREPLY=($(compgen -W \"$(lh-run completion bash --words "
         "\"${last#--}\" --of \"$manifest\" 2>/dev/null)\" -- \"$word\"))\n"
         "    return ;;\n"
         "  esac\n"
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
         "  elif [ \"${word#lib:}\" != \"$word\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$(lh-run completion bash --words "
         "bubble "
         "2>/dev/null)\" -- \"$word\"))\n"
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
         "case $words[CURRENT-1] in\n"
         "  --target|--pipeline|--case)\n"
         "    compadd -- $(lh-run completion zsh --words "
         "${words[CURRENT-1]#--} "
         "--of ${words[(r)*.yaml]} 2>/dev/null)\n"
         "    return ;;\n"
         "esac\n"
         "if [[ $PREFIX == lib:* ]]; then\n"
         "  compadd -- $(lh-run completion zsh --words bubble 2>/dev/null)\n"
         "elif [[ $PREFIX == -* ]]; then\n"
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
          << "' -l " << llvm::StringRef(flag).ltrim('-')
          << (flag == "--target" ? " -x -a '(lh-run completion fish --words "
                                   "target 2>/dev/null)'"
                                 : "")
          << '\n';
  }
}

/// The names of files in a folder of the libraries, with `prefix`.
static void addFiles(StringRef folder, StringRef prefix,
                     const ResolveOptions &resolve, DriverEnv &env,
                     std::set<std::string> &words) {
  for (const std::string &library : resolve.libraryDirs)
    for (const std::string &file :
         listFilesBelow(env.files, absolutePath(folder, library)))
      if (StringRef name = file; name.consume_back(".yaml") &&
                                 !name.ends_with(".test") &&
                                 !name.contains("defaults/"))
        words.insert((prefix + name).str());
}

/// What `--target`, `--pipeline` and `--case` may be for a manifest, and the
/// library's bubbles. What is wrong is nobody's business here.
static int printCandidates(const CompletionOptions &options, DriverEnv &env) {
  std::set<std::string> words;
  ResolveOptions resolve = resolveOptions({}, env);
  SourceStore sources(env.files);
  CollectingSink nobody;
  FailureOr<GraphParts> parts = failure();
  if (!options.manifest.empty())
    parts = loadGraphParts(options.manifest, resolve, sources, nobody);
  if (options.words == "bubble")
    addFiles("schedules", "lib:", resolve, env, words);
  else if (options.words == "target" && failed(parts))
    addFiles("targets", "", resolve, env, words);
  else if (succeeded(parts) && options.words == "target")
    for (const TargetSpec &target : parts->graph.targets)
      words.insert(target.name);
  else if (succeeded(parts) && options.words == "pipeline")
    for (const ResolvedPipeline &pipeline : parts->graph.pipelines)
      words.insert(pipeline.name);
  else if (succeeded(parts) && options.words == "case")
    for (const CaseDecl &each : parts->graph.cases)
      words.insert(each.name.value);
  for (const std::string &word : words)
    env.out << word << '\n';
  return 0;
}

static int runCompletion(const CompletionOptions &options, DriverEnv &env) {
  if (!options.words.empty())
    return printCandidates(options, env);
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
