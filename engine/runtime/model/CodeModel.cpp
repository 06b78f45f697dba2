// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From counted code to what cores would take for it.
#include "runtime/model/CodeModel.h"

#include "runtime/model/CoreModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace lh;

/// Blocks beyond those that make up this share of all instructions take as
/// long as the others do on average.
static constexpr double modelledShare = 0.999;

/// The fact that names cores, as "neoverse-v1/256 neoverse-v2/128".
static constexpr const char *coresFact = "modelled_cores";

namespace {
struct NamedCore {
  std::string text, name;
  int64_t vectorBits = 0; ///< 0: the text doesn't say
};
} // namespace

static std::vector<NamedCore> coresOf(const TargetSpec &target) {
  std::vector<NamedCore> cores;
  auto fact = target.facts.find(coresFact);
  if (fact == target.facts.end())
    return cores;
  const auto *text = std::get_if<std::string>(&fact->second.value);
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text ? StringRef(*text) : "?", words);
  for (StringRef word : words) {
    auto [name, bits] = word.split('/');
    NamedCore &core = cores.emplace_back();
    core.text = word.str();
    core.name = name.str();
    bits.getAsInteger(10, core.vectorBits);
  }
  return cores;
}

static void countKinds(const ExecutedInstruction &each, ModelledCode &code) {
  code.instructions += each.count;
  code.kinds[each.unit.str()] += each.count;
  if (each.isMultiplyAdd)
    code.kinds["fma"] += each.count;
  if (each.isLoad)
    code.kinds["load"] += each.count;
  if (each.isStore)
    code.kinds["store"] += each.count;
  if (each.isBranch)
    code.kinds["branch"] += each.count;
}

/// Null when nothing multiplies and adds.
static const ExecutedBlock *loopOf(ArrayRef<ExecutedBlock> blocks) {
  const ExecutedBlock *hottest = nullptr;
  uint64_t most = 0;
  for (const ExecutedBlock &block : blocks)
    if (uint64_t work = block.count * block.multiplyAdds(); work > most) {
      most = work;
      hottest = &block;
    }
  return hottest;
}

static ModelledCore modelCore(const CoreModel &model, StringRef name,
                              ArrayRef<ExecutedBlock> heaviestFirst) {
  ModelledCore modelled{name.str(), {}, {}};
  uint64_t total = 0, done = 0;
  for (const ExecutedBlock &block : heaviestFirst)
    total += block.weight();
  for (const ExecutedBlock &block : heaviestFirst) {
    if (static_cast<double>(done) >= modelledShare * static_cast<double>(total))
      break;
    ModelledCycles once = model.cyclesOf(block);
    modelled.all.cycles += once.cycles * static_cast<double>(block.count);
    modelled.all.peakCycles +=
        once.peakCycles * static_cast<double>(block.count);
    done += block.weight();
  }
  double scale =
      done > 0 ? static_cast<double>(total) / static_cast<double>(done) : 1;
  modelled.all.cycles *= scale;
  modelled.all.peakCycles *= scale;
  if (const ExecutedBlock *loop = loopOf(heaviestFirst))
    modelled.loop = model.cyclesOf(*loop);
  return modelled;
}

ModelledCode lh::modelCode(const CountedCode &counted,
                           const TargetSpec &target) {
  ModelledCode code;
  code.vectorBits = counted.vectorBits;
  std::unique_ptr<InstructionSet> set = InstructionSet::of(target.triple);
  if (!counted.isComplete)
    code.whyNot = "there is more code than fits into the counter's memory";
  else if (!set)
    code.whyNot = "LLVM knows no '" + target.triple + "'";
  if (!code.whyNot.empty())
    return code;
  auto instructions = decodeExecuted(counted, *set);
  for (const auto &[address, each] : instructions)
    countKinds(each, code);
  std::vector<ExecutedBlock> blocks = blocksOf(instructions);
  llvm::stable_sort(blocks, [](const ExecutedBlock &a, const ExecutedBlock &b) {
    return a.weight() > b.weight();
  });
  if (const ExecutedBlock *loop = loopOf(blocks))
    code.loopInstructions = loop->instructions.size();
  for (const NamedCore &core : coresOf(target)) {
    CoreModel model(*set, core.name);
    bool fits =
        counted.vectorBits == 0 || core.vectorBits == counted.vectorBits;
    if (fits && model.isKnown())
      code.cores.push_back(modelCore(model, core.name, blocks));
  }
  return code;
}

LogicalResult lh::checkCores(const TargetSpec &target, DiagnosticSink &sink) {
  std::unique_ptr<InstructionSet> set = InstructionSet::of(target.triple);
  LogicalResult result = success();
  for (const NamedCore &core : coresOf(target))
    if (!set || !CoreModel(*set, core.name).isKnown() || core.vectorBits <= 0)
      result = sink.error(
          DiagKind::BackendBadTarget, target.facts.at(coresFact).where,
          "target '" + target.name + "': '" + core.text +
              "' is not NAME/BITS of a core of which LLVM has a model for '" +
              target.triple + "'");
  return result;
}
