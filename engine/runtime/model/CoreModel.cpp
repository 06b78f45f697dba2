// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's model of a core: the steps of the tool llvm-mca with its defaults.
#include "runtime/model/CoreModel.h"

#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"

using namespace lh;
namespace mca = llvm::mca;

/// Rounds of a block that are simulated: the first ones fill the core's queues.
static constexpr unsigned rounds = 200;

CoreModel::CoreModel(const InstructionSet &set, StringRef core)
    : set(set), core(set.core(core)) {}

bool CoreModel::isKnown() const {
  return core && core->getSchedModel().hasInstrSchedModel();
}

double CoreModel::peakCyclesOf(const ExecutedBlock &block) const {
  double cycles = 0;
  for (const ExecutedInstruction *each : block.instructions)
    if (each->isMultiplyAdd)
      cycles += core->getSchedModel().getReciprocalThroughput(
          *core, *set.instructions, each->instruction);
  return cycles;
}

/// Instructions that the model doesn't know are left out, as by the tool's
/// -skip-unsupported-instructions, and calls and returns: it takes a hundred
/// cycles for what they lead to.
static std::vector<std::unique_ptr<mca::Instruction>>
lowered(const ExecutedBlock &block, const InstructionSet &set,
        mca::InstrBuilder &builder) {
  std::vector<std::unique_ptr<mca::Instruction>> all;
  for (const ExecutedInstruction *each : block.instructions) {
    const llvm::MCInstrDesc &description =
        set.instructions->get(each->instruction.getOpcode());
    if (description.isCall() || description.isReturn())
      continue;
    auto made = builder.createInstruction(each->instruction, {});
    if (made)
      all.push_back(std::move(*made));
    else
      llvm::consumeError(made.takeError());
  }
  return all;
}

ModelledCycles CoreModel::cyclesOf(const ExecutedBlock &block) const {
  mca::InstrumentManager instruments(*core, *set.instructions);
  mca::InstrBuilder builder(*core, *set.instructions, *set.registers,
                            set.analysis.get(), instruments, /*CallLatency=*/0);
  auto instructions = lowered(block, set, builder);
  if (instructions.empty())
    return {};
  mca::CircularSourceMgr source(instructions, rounds);
  mca::CustomBehaviour behaviour(*core, source, *set.instructions);
  mca::Context context(*set.registers, *core);
  mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
  std::unique_ptr<mca::Pipeline> pipeline =
      core->getSchedModel().isOutOfOrder()
          ? context.createDefaultPipeline(options, source, behaviour)
          : context.createInOrderPipeline(options, source, behaviour);
  llvm::Expected<unsigned> cycles = pipeline->run();
  if (!cycles) {
    llvm::consumeError(cycles.takeError());
    return {};
  }
  return {static_cast<double>(*cycles) / rounds, peakCyclesOf(block)};
}
