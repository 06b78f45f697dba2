// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction is, by its text: registers say the unit, and mnemonics
// the rest.
#include "runtime/model/InstructionKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

static bool startsWithOneOf(StringRef text, ArrayRef<StringRef> starts) {
  return llvm::any_of(starts,
                      [&](StringRef start) { return text.starts_with(start); });
}

/// Whether `word` is a register: `prefix` and a number.
static bool isRegister(StringRef word, StringRef prefix) {
  return word.consume_front(prefix) && !word.empty() &&
         llvm::all_of(word, llvm::isDigit);
}

static std::vector<StringRef> wordsOf(StringRef text) {
  std::vector<StringRef> words;
  while (!text.empty()) {
    StringRef word = text.take_while([](char c) { return llvm::isAlnum(c); });
    if (!word.empty())
      words.push_back(word);
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
  return words;
}

/// Instructions that count in lengths of vectors, on general registers.
static bool countsInVectors(StringRef mnemonic) {
  static constexpr StringRef names[] = {"addvl", "addpl", "rdvl"};
  static constexpr StringRef counters[] = {"cnt", "inc", "dec"};
  if (llvm::is_contained(names, mnemonic))
    return true;
  return mnemonic.size() == 4 && startsWithOneOf(mnemonic, counters) &&
         StringRef("bhwd").contains(mnemonic.back());
}

static StringRef armUnitOf(StringRef mnemonic, StringRef operands) {
  bool isScalable = countsInVectors(mnemonic), isFixed = false;
  if (mnemonic == "smstart" || mnemonic == "smstop")
    return "sme";
  for (StringRef word : wordsOf(operands)) {
    if (word.starts_with("za"))
      return "sme";
    isScalable |= word == "vl" || isRegister(word, "z") ||
                  isRegister(word, "p") || isRegister(word, "pn");
    isFixed |= isRegister(word, "v") || isRegister(word, "q");
  }
  return isScalable ? "sve" : isFixed ? "neon" : "scalar";
}

/// LLVM separates the mnemonic by a tab.
static std::pair<StringRef, StringRef> partsOf(StringRef text) {
  text = text.trim();
  StringRef mnemonic =
      text.take_until([](char c) { return c == '\t' || c == ' '; });
  return {mnemonic, text.drop_front(mnemonic.size())};
}

StringRef lh::unitOf(llvm::Triple::ArchType architecture, StringRef text) {
  auto [mnemonic, operands] = partsOf(text);
  if (architecture == llvm::Triple::aarch64)
    return armUnitOf(mnemonic, operands);
  if (architecture == llvm::Triple::riscv64)
    return mnemonic.starts_with("v") ? "rvv" : "scalar";
  return "scalar";
}

bool lh::isMultiplyAdd(llvm::Triple::ArchType architecture, StringRef text) {
  // Not `madd` and `msub` on general registers, which compute addresses.
  static constexpr StringRef arm[] = {
      "fml",   "fmad",   "fmsb",  "fmsub", "fnml",   "fnma",  "fnms",
      "bfml",  "bfmmla", "bfdot", "fmmla", "fdot",   "sdot",  "udot",
      "usdot", "sudot",  "smmla", "ummla", "usmmla", "smlal", "umlal",
      "fmopa", "bfmopa", "smopa", "umopa", "usmopa", "sumopa"};
  static constexpr StringRef risc[] = {
      "vfmacc", "vfnmacc", "vfmsac",  "vfnmsac", "vfmadd", "vfnmadd",
      "vfmsub", "vfnmsub", "vfwmacc", "vmacc",   "vmadd",  "vwmacc",
      "vnmsac", "vnmsub",  "fmadd",   "fmsub",   "fnmadd", "fnmsub"};
  StringRef mnemonic = partsOf(text).first;
  if (architecture == llvm::Triple::aarch64)
    return startsWithOneOf(mnemonic, arm) || mnemonic == "mla" ||
           mnemonic == "mls";
  return architecture == llvm::Triple::riscv64 &&
         startsWithOneOf(mnemonic, risc);
}
