// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts for Slurm (sbatch(1) of 22.05): an array for each kind of machine.
#include "core/support/Shell.h"
#include "insight/ci/Tasks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lh;

/// sbatch replaces %x in paths, and takes quotes as a shell does.
static std::string slurmPath(StringRef path) {
  std::string text;
  for (char c : path)
    text += c == '%' ? "%%" : std::string(1, c);
  return shellWord(text);
}

static bool isGpu(StringRef label) {
  return label == "cuda" || label == "rocm" || label == "xe";
}

/// The features that a node must have: those of a runner are its own name.
static std::string constraintOf(const TaskArray &array) {
  if (!array.runner.empty())
    return array.runner;
  std::vector<std::string> features;
  for (const std::string &label : array.labels)
    if (label != "linux" && !isGpu(label))
      features.push_back(label);
  return llvm::join(features, "&");
}

/// Three times what is known, in minutes: a slower node, a busy disk. Where
/// nothing is known the partition's limit holds: a job that is ended at its
/// limit is begun again, and would be ended again.
static std::string limitFlag(double seconds) {
  constexpr int least = 5;
  return "--time=" + std::to_string(std::max(
                         least, static_cast<int>(std::ceil(3 * seconds / 60))));
}

std::string lh::slurmScript(const TaskArray &array,
                            const SlurmOptions &options) {
  std::vector<std::string> flags = {"--job-name=lh-" + array.kind};
  std::string constraint = constraintOf(array);
  if (!constraint.empty())
    flags.push_back("--constraint=" + shellWord(constraint));
  if (llvm::any_of(array.labels, isGpu))
    flags.push_back("--gres=gpu:1");
  if (array.longest > 0)
    flags.push_back(limitFlag(array.longest));
  llvm::append_range(
      flags,
      std::vector<std::string>{
          "--nodes=1", "--ntasks=1",
          "--cpus-per-task=" + std::to_string(options.cores), "--requeue",
          "--open-mode=append",
          "--output=" + slurmPath(options.folder + "/log") + "/%x-%A-%a.log",
          "--chdir=" + shellWord(options.workingDirectory),
          "--signal=B:TERM@30"});
  std::string text = "#!/bin/sh\n";
  for (const std::string &flag : flags)
    text += "#SBATCH " + flag + "\n";
  return text + "exec " +
         shellLine({options.program, "work", options.folder, "--kind",
                    array.kind, "--task"}) +
         " \"$((${LH_FIRST:-0} + SLURM_ARRAY_TASK_ID))\"\n";
}

std::string lh::slurmMergeScript(const SlurmOptions &options) {
  return "#!/bin/sh\n"
         "#SBATCH --job-name=lh-merge\n"
         "#SBATCH --open-mode=append\n"
         "#SBATCH --output=" +
         slurmPath(options.folder + "/log") +
         "/merge.log\n#SBATCH --chdir=" + shellWord(options.workingDirectory) +
         "\ncd " + shellWord(options.folder) + " || exit\nexec " +
         shellLine({options.program, "merge", "--expect", "plan.json",
                    "results", "--json", "merged.json", "--junit", "junit.xml",
                    "--markdown", "summary.md", "-o", "index.html"}) +
         "\n";
}

std::string lh::slurmSubmitScript(const SlurmOptions &options) {
  return "#!/bin/sh\n"
         "# Submits the tasks with jobs that are not done, then the merge.\n"
         "# Arguments go to sbatch: sh submit.sh --partition=ci --account=a\n"
         "cd " +
         shellWord(options.folder) +
         " || exit\nlh_run=" + shellWord(options.program) + R"sh(
most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
ids=
failed=0
for script in tasks/*.sbatch; do
  kind=${script#tasks/} kind=${kind%.sbatch}
  rm -f "tasks/$kind.refused"
  "$lh_run" work . --kind "$kind" --missing --at-most "${most:-1001}" \
    > "tasks/$kind.missing" || exit
  while read -r first array; do
    if id=$(sbatch --parsable "$@" --array="$array" \
      --export="ALL,LH_FIRST=$first" "$script" 2> "tasks/$kind.error"); then
      ids=$ids:${id%%;*}
      echo "$kind: array ${id%%;*} of tasks $array"
    else
      mv "tasks/$kind.error" "tasks/$kind.refused"
      failed=1
      echo "$kind: not submitted: $(cat "tasks/$kind.refused")" >&2
    fi
    rm -f "tasks/$kind.error"
  done < "tasks/$kind.missing"
done
if [ -n "$ids" ]; then
  id=$(sbatch --parsable "$@" --dependency="afterany$ids" merge.sbatch) || exit
  echo "merge: ${id%%;*}"
else
  sh merge.sbatch || failed=1
fi
exit "$failed"
)sh";
}

bool lh::isMissingMachine(StringRef message) {
  for (StringRef words :
       {"Invalid feature specification", "Invalid generic resource",
        "Requested node configuration is not available"})
    if (message.contains(words))
      return true;
  return false;
}
