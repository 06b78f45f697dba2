// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the assemblers' reports and compares.
#include "runtime/gpu/KernelBudget.h"

#include "compiler/gaps/Marks.h"
#include "runtime/gpu/Assembler.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

std::optional<KernelBudget> lh::readKernelBudget(mlir::ModuleOp module) {
  auto noted = [&](StringRef what) {
    return module->getAttr((kernelBudgetMark + "." + what).str());
  };
  auto words = mlir::dyn_cast_or_null<mlir::StringAttr>(noted("instructions"));
  if (!words)
    return std::nullopt;
  KernelBudget budget;
  for (auto [name, limit] : {std::pair("registers", &budget.registers),
                             std::pair("spills", &budget.spills),
                             std::pair("shared_bytes", &budget.sharedBytes)})
    if (auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(noted(name));
        number && number.getInt() >= 0)
      *limit = number.getInt();
  for (StringRef word : llvm::split(words.getValue(), ','))
    if (!word.trim().empty())
      budget.instructions.push_back(word.trim().str());
  if (auto products =
          module->getAttrOfType<mlir::DictionaryAttr>(instructionsMark))
    for (mlir::NamedAttribute entry : products)
      if (auto count = mlir::dyn_cast<mlir::IntegerAttr>(entry.getValue()))
        budget.products.emplace_back(entry.getName().str(), count.getInt());
  return budget;
}

/// The number that stands before `unit` in `line`; 0 without one.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t place = line.find(unit);
  if (place == StringRef::npos)
    return 0;
  StringRef before = line.take_front(place).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  int64_t number = 0;
  (void)before.drop_front(start + 1).getAsInteger(10, number); // digits, or 0
  return number;
}

std::vector<KernelUse> lh::usesInPtxasReport(StringRef report) {
  std::vector<KernelUse> uses;
  for (StringRef line : llvm::split(report, '\n')) {
    constexpr StringRef header = "Compiling entry function '";
    if (size_t place = line.find(header); place != StringRef::npos) {
      StringRef name = line.drop_front(place + header.size());
      uses.push_back({name.take_until([](char c) { return c == '\''; }).str()});
    }
    if (uses.empty())
      continue;
    uses.back().spills += numberBefore(line, " bytes spill stores");
    if (!line.contains("Used "))
      continue;
    uses.back().registers = numberBefore(line, " registers");
    uses.back().sharedBytes = numberBefore(line, " bytes smem");
  }
  return uses;
}

std::vector<KernelUse> lh::usesInAmdAssembly(StringRef assembly) {
  std::vector<KernelUse> uses;
  StringRef metadata = assembly.split(".amdgpu_metadata").second;
  for (StringRef line : llvm::split(metadata, '\n')) {
    // Each kernel's entry begins with its first key, whichever that is.
    if (line.starts_with("  - "))
      uses.emplace_back();
    if (uses.empty())
      continue;
    auto [key, value] = line.ltrim(" -").split(':');
    int64_t number = 0;
    bool isNumber = !value.trim().getAsInteger(10, number);
    KernelUse &use = uses.back();
    if (key == ".name" && line.starts_with("    .name"))
      use.name = value.trim().str();
    else if (isNumber && key == ".vgpr_count")
      use.registers = number;
    else if (isNumber &&
             (key == ".vgpr_spill_count" || key == ".sgpr_spill_count"))
      use.spills += number;
    else if (isNumber && key == ".group_segment_fixed_size")
      use.sharedBytes = number;
  }
  llvm::erase_if(uses, [](const KernelUse &use) { return use.name.empty(); });
  return uses;
}

/// The part of `.ze_info` that tells of kernels' code, from each one's name on.
static llvm::SmallVector<StringRef> kernelsInZeInfo(StringRef info) {
  StringRef kernels =
      info.split("\nkernels:").second.split("\nkernels_misc_info:").first;
  llvm::SmallVector<StringRef> each;
  kernels.split(each, "\n  - name:");
  each.erase(each.begin()); // what stands before the first
  return each;
}

std::vector<KernelUse> lh::usesInZeInfo(StringRef info) {
  std::vector<KernelUse> uses;
  for (StringRef text : kernelsInZeInfo(info)) {
    KernelUse &use = uses.emplace_back();
    auto [name, rest] = text.split('\n');
    use.name = name.trim().str();
    bool isScratch = false;
    for (StringRef line : llvm::split(rest, '\n')) {
      auto [key, value] = line.ltrim(" -").split(':');
      value = value.trim();
      int64_t number = 0;
      bool isNumber = !value.getAsInteger(10, number);
      if (key == "type")
        isScratch = value == "scratch";
      else if (isNumber && key == "grf_count")
        use.registers = number;
      else if (isNumber && key == "slm_size")
        use.sharedBytes = number;
      else if (isNumber && key == "size" && isScratch)
        use.spills += number;
      else if (key == "has_stack_calls")
        use.callsThroughStack = value == "true";
    }
  }
  return uses;
}

int64_t lh::kernelsWith(StringRef instruction, StringRef assembly,
                        Vendor vendor) {
  if (vendor == Vendor::Intel)
    return llvm::count_if(kernelsInZeInfo(assembly), [&](StringRef text) {
      return text.contains(("has_" + instruction + ":").str());
    });
  // AMD's assembly describes a kernel behind its code, PTX names it before.
  bool isNvidia = vendor == Vendor::Nvidia;
  llvm::SmallVector<StringRef> kernels;
  assembly.split(kernels, isNvidia ? ".entry " : ".amdhsa_kernel ");
  ArrayRef<StringRef> code = kernels;
  code = isNvidia ? code.drop_front() : code.drop_back();
  return llvm::count_if(
      code, [&](StringRef text) { return text.contains(instruction); });
}

/// Each product that was given to a kernel with an instruction has one.
static LogicalResult checkProducts(const KernelBudget &budget,
                                   StringRef assembly, const Chip &chip,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const auto &[instruction, products] : budget.products) {
    int64_t kernels = kernelsWith(instruction, assembly, chip.vendor);
    if (kernels < products)
      result = sink.error(
          DiagKind::BackendMissingInstruction, where,
          "'" + instruction + "' is what " + Twine(products) +
              (products == 1 ? " product's kernel" : " products' kernels") +
              " must have; of the kernels for " + chip.name + " " +
              Twine(kernels) + (kernels == 1 ? " has it" : " have it"));
  }
  return result;
}

static LogicalResult checkUse(const KernelBudget &budget, const KernelUse &use,
                              const SourceSpan &where, DiagnosticSink &sink) {
  LogicalResult result = success();
  auto check = [&](const std::optional<int64_t> &limit, int64_t used,
                   StringRef what) {
    if (limit && used > *limit)
      result = sink.error(DiagKind::BackendOverBudget, where,
                          "kernel '" + use.name + "' uses " + Twine(used) +
                              " " + what + "; its budget is " + Twine(*limit));
  };
  check(budget.registers, use.registers, "registers");
  check(budget.spills, use.spills, "spills");
  check(budget.sharedBytes, use.sharedBytes, "bytes of shared memory");
  if (use.callsThroughStack)
    result = sink.error(DiagKind::BackendOverBudget, where,
                        "kernel '" + use.name +
                            "' calls a function through a stack: ocloc has no "
                            "code for it, or can't inline it");
  return result;
}

void lh::reportUnchecked(StringRef why, const SourceSpan &where,
                         DiagnosticSink &sink) {
  sink.emit({DiagKind::BackendToolNotFound,
             Severity::Remark,
             where,
             (why + ": what the kernels use isn't checked").str(),
             {}});
}

LogicalResult lh::checkKernelBudget(const KernelBudget &budget,
                                    StringRef assembly, const Chip &chip,
                                    const DeviceTools &tools,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  LogicalResult result = checkProducts(budget, assembly, chip, where, sink);
  for (const std::string &word : budget.instructions)
    if (!assembly.contains(word))
      result = sink.error(DiagKind::BackendMissingInstruction, where,
                          "the code for " + chip.name + " has no '" + word +
                              "', which it must have");
  if (!budget.hasLimits())
    return result;
  std::vector<KernelUse> uses;
  if (chip.vendor == Vendor::Amd) {
    uses = usesInAmdAssembly(assembly);
  } else if (chip.vendor == Vendor::Intel) {
    uses = usesInZeInfo(assembly);
  } else if (tools.ptxas.empty()) {
    reportUnchecked("there is no 'ptxas' here", where, sink);
  } else {
    auto report = reportOnPtx(assembly, chip.name, tools, where, sink);
    if (failed(report))
      return failure();
    uses = usesInPtxasReport(*report);
  }
  for (const KernelUse &use : uses)
    if (failed(checkUse(budget, use, where, sink)))
      result = failure();
  return result;
}
