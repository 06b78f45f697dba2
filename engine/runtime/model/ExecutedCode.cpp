// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted code as instructions and basic blocks.
#include "runtime/model/ExecutedCode.h"

#include "runtime/model/InstructionKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

namespace {
/// Decodes whatever some core of the architecture has.
class Decoder {
public:
  explicit Decoder(const InstructionSet &set)
      : set(set), anyCore(set.target->createMCSubtargetInfo(
                      set.triple, "", everyFeature(set.triple))),
        context(set.triple, set.assembly.get(), set.registers.get(),
                anyCore.get()),
        disassembler(set.target->createMCDisassembler(*anyCore, context)),
        printer(set.target->createMCInstPrinter(
            set.triple, set.assembly->getAssemblerDialect(), *set.assembly,
            *set.instructions, *set.registers)) {}

  /// The instruction at the beginning of `code`; nothing when there is none.
  std::optional<ExecutedInstruction> decode(StringRef code, uint64_t address);

private:
  static StringRef everyFeature(const llvm::Triple &triple) {
    return triple.isRISCV() ? "+m,+a,+f,+d,+c,+v,+zfh,+zvfh" : "+all";
  }
  std::string textOf(const llvm::MCInst &instruction, uint64_t address);

  const InstructionSet &set;
  std::unique_ptr<llvm::MCSubtargetInfo> anyCore;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};
} // namespace

std::string Decoder::textOf(const llvm::MCInst &instruction, uint64_t address) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer->printInst(&instruction, address, "", *anyCore, stream);
  return text;
}

std::optional<ExecutedInstruction> Decoder::decode(StringRef code,
                                                   uint64_t address) {
  ExecutedInstruction decoded;
  ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(code.data()),
                          code.size());
  if (disassembler->getInstruction(decoded.instruction, decoded.bytes, bytes,
                                   address, llvm::nulls()) !=
      llvm::MCDisassembler::Success)
    return std::nullopt;
  const llvm::MCInstrDesc &description =
      set.instructions->get(decoded.instruction.getOpcode());
  std::string text = textOf(decoded.instruction, address);
  decoded.unit = unitOf(set.triple.getArch(), text);
  decoded.isMultiplyAdd = isMultiplyAdd(set.triple.getArch(), text);
  decoded.isLoad = description.mayLoad();
  decoded.isStore = description.mayStore();
  decoded.isBranch =
      description.isBranch() || description.isCall() || description.isReturn();
  return decoded;
}

uint64_t ExecutedBlock::multiplyAdds() const {
  return static_cast<uint64_t>(
      llvm::count_if(instructions, [](const ExecutedInstruction *each) {
        return each->isMultiplyAdd;
      }));
}

std::map<uint64_t, ExecutedInstruction>
lh::decodeExecuted(const CountedCode &counted, const InstructionSet &set) {
  Decoder decoder(set);
  std::map<uint64_t, ExecutedInstruction> instructions;
  for (const CountedPiece &piece : counted.pieces) {
    uint64_t address = piece.address;
    StringRef code = piece.code;
    while (piece.count > 0 && !code.empty()) {
      auto place = instructions.find(address);
      if (place == instructions.end()) {
        auto decoded = decoder.decode(code, address);
        if (!decoded)
          break;
        place = instructions.emplace(address, std::move(*decoded)).first;
      }
      place->second.count += piece.count;
      code = code.drop_front(place->second.bytes);
      address += place->second.bytes;
    }
  }
  return instructions;
}

std::vector<ExecutedBlock>
lh::blocksOf(const std::map<uint64_t, ExecutedInstruction> &instructions) {
  std::vector<ExecutedBlock> blocks;
  uint64_t next = 0;
  bool isOpen = false;
  for (const auto &[address, instruction] : instructions) {
    if (!isOpen || address != next || instruction.count != blocks.back().count)
      blocks.push_back({instruction.count, {}});
    blocks.back().instructions.push_back(&instruction);
    next = address + instruction.bytes;
    isOpen = !instruction.isBranch;
  }
  return blocks;
}
