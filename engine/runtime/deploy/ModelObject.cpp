// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the model's constants as LLVM IR, in the layout of Model.h.
#include "runtime/deploy/ModelObject.h"

#include "runtime/abi/VectorBits.h"
#include "runtime/cpu/CodeGeneration.h"
#include "runtime/cpu/PackedEntry.h"
#include "runtime/deploy/Description.h"
#include "runtime/deploy/Model.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

// The order of types is the library's, too.
static_assert(int(DType::Bool) == LH_BOOL && int(DType::Int64) == LH_INT64 &&
              int(DType::Float16) == LH_FLOAT16 &&
              int(DType::Float64) == LH_FLOAT64 &&
              int(DType::Float4E2M1) == LH_FLOAT4E2M1 &&
              int(DType::UInt2) == LH_UINT2);

std::string lh::libraryEntry(StringRef library, StringRef entry) {
  return ("lh_" + library + "_" + entry).str();
}

static constexpr StringRef setUpEntry = "set-up";

void lh::nameForLibrary(llvm::Module &code, const ModuleAbi &abi,
                        StringRef library, StringRef setUp) {
  auto rename = [&](StringRef packed, StringRef entry) {
    llvm::Function *function = code.getFunction(packed);
    function->setName(libraryEntry(library, entry));
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  };
  rename(packedName(abi.entry.name), abi.entry.name);
  if (abi.prepare)
    rename(packedName(abi.prepare->name), abi.prepare->name);
  if (!setUp.empty())
    rename(setUp, setUpEntry);
}

namespace {

/// Constants of one module, by C's rules of layout.
class ModelConstants {
public:
  ModelConstants(const LibraryFacts &facts, const ModuleAbi &abi,
                 const LibraryWeights &weights, llvm::Module &module)
      : facts(facts), abi(abi), weights(weights), module(module),
        context(module.getContext()), builder(context),
        pointer(builder.getPtrTy()),
        null(llvm::ConstantPointerNull::get(pointer)) {}

  llvm::Constant *model(uint64_t weightsHash);

private:
  llvm::Constant *number(int64_t value, unsigned bits = 32) {
    return llvm::ConstantInt::getSigned(builder.getIntNTy(bits), value);
  }
  llvm::Constant *record(ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  /// A private constant, by its address.
  llvm::Constant *place(llvm::Constant *value) {
    auto *global =
        new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, value);
    return global;
  }
  llvm::Constant *text(StringRef text) {
    return place(llvm::ConstantDataArray::getString(context, text));
  }
  /// An array of records of one kind by its address; null for none.
  llvm::Constant *list(ArrayRef<llvm::Constant *> items) {
    if (items.empty())
      return null;
    return place(llvm::ConstantArray::get(
        llvm::ArrayType::get(items.front()->getType(), items.size()), items));
  }
  llvm::Constant *external(StringRef symbol) {
    auto *global = llvm::cast<llvm::GlobalVariable>(
        module.getOrInsertGlobal(symbol, builder.getInt8Ty()));
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return global;
  }
  llvm::Constant *hiddenFunction(StringRef symbol);

  llvm::Constant *tensor(const TensorSignature &signature);
  llvm::Constant *tensors(ArrayRef<TensorSignature> signatures);
  llvm::Constant *arguments(const EntryAbi &function);
  llvm::Constant *function(const EntryAbi &function);
  llvm::Constant *weightList();
  llvm::Constant *featureList();
  llvm::Constant *weightsHeader(uint64_t hash);
  llvm::Constant *device();
  llvm::Constant *state();

  const LibraryFacts &facts;
  const ModuleAbi &abi;
  const LibraryWeights &weights;
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
  llvm::Constant *null;
};

} // namespace

/// Of another object, by its address: the type doesn't matter.
llvm::Constant *ModelConstants::hiddenFunction(StringRef symbol) {
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false);
  auto *callee = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(symbol, type).getCallee());
  callee->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return callee;
}

/// struct LhModelTensor
llvm::Constant *ModelConstants::tensor(const TensorSignature &signature) {
  std::vector<llvm::Constant *> shape(LH_MAX_RANK, number(0, 64));
  std::vector<llvm::Constant *> dimension(LH_MAX_RANK, null);
  for (size_t i = 0; i < signature.shape.size(); ++i) {
    shape[i] = number(signature.shape[i], 64);
    if (i < signature.symbols.size() && !signature.symbols[i].empty())
      dimension[i] = text(signature.symbols[i]);
  }
  auto array = [](ArrayRef<llvm::Constant *> items) {
    return llvm::ConstantArray::get(
        llvm::ArrayType::get(items.front()->getType(), items.size()), items);
  };
  return record({text(signature.name),
                 number(static_cast<int64_t>(signature.dtype)),
                 number(static_cast<int64_t>(signature.shape.size())),
                 array(shape), array(dimension)});
}

llvm::Constant *ModelConstants::tensors(ArrayRef<TensorSignature> signatures) {
  std::vector<llvm::Constant *> items;
  for (const TensorSignature &signature : signatures)
    items.push_back(tensor(signature));
  return list(items);
}

/// struct LhModelArgument, each
llvm::Constant *ModelConstants::arguments(const EntryAbi &function) {
  std::vector<llvm::Constant *> items;
  int64_t inputs = 0;
  for (const EntryArgument &argument : function.arguments)
    switch (argument.role) {
    case ArgumentRole::Input:
      items.push_back(record({number(LH_ROLE_INPUT), number(inputs++)}));
      break;
    case ArgumentRole::Weight:
      items.push_back(
          record({number(LH_ROLE_WEIGHT),
                  number(static_cast<int64_t>(weights.indexOf(argument)))}));
      break;
    case ArgumentRole::Prepared:
      items.push_back(
          record({number(LH_ROLE_PREPARED),
                  number(static_cast<int64_t>(argument.preparedIndex))}));
      break;
    }
  return list(items);
}

/// struct LhModelFunction
llvm::Constant *ModelConstants::function(const EntryAbi &function) {
  return record({hiddenFunction(libraryEntry(facts.name, function.name)),
                 arguments(function), tensors(function.results),
                 number(static_cast<int64_t>(function.arguments.size())),
                 number(static_cast<int64_t>(function.results.size())),
                 number(function.convention == EntryConvention::Returned &&
                        !function.results.empty())});
}

/// struct LhModelWeight, each
llvm::Constant *ModelConstants::weightList() {
  std::vector<llvm::Constant *> items;
  std::vector<uint64_t> offsets = weights.offsets();
  bool isEmbedded = facts.weightsFile.empty();
  for (size_t i = 0; i < weights.all().size(); ++i)
    items.push_back(record(
        {tensor(weights.all()[i]->tensor),
         isEmbedded ? external(LibraryWeights::symbolOf(facts.name, i)) : null,
         number(static_cast<int64_t>(offsets[i]), 64)}));
  return list(items);
}

llvm::Constant *ModelConstants::featureList() {
  std::vector<llvm::Constant *> items;
  for (const std::string &feature : facts.features)
    items.push_back(text(feature));
  items.push_back(null);
  return list(items);
}

/// struct LhWeightsHeader
llvm::Constant *ModelConstants::weightsHeader(uint64_t hash) {
  uint64_t bytes = facts.weightsFile.empty() ? 0 : weights.fileBytes();
  return record({llvm::ConstantDataArray::getString(context, LH_WEIGHTS_MAGIC,
                                                    /*AddNull=*/false),
                 number(static_cast<int64_t>(bytes), 64),
                 llvm::ConstantInt::get(builder.getInt64Ty(), hash)});
}

/// struct LhModelDevice
llvm::Constant *ModelConstants::device() {
  if (!facts.device)
    return null;
  const LibraryDevice &device = *facts.device;
  return place(record(
      {hiddenFunction("lh_open_gpu"),
       hiddenFunction(libraryEntry(facts.name, setUpEntry)), text(device.chip),
       number(device.vendor), number(device.leastCapability),
       number(device.mostCapability), number(device.leastDriver)}));
}

/// The only memory of a library that changes.
llvm::Constant *ModelConstants::state() {
  auto *type = llvm::ArrayType::get(builder.getInt8Ty(), LH_MODEL_STATE);
  auto *global = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantAggregateZero::get(type));
  global->setAlignment(llvm::Align(64));
  return global;
}

/// struct LhModel
llvm::Constant *ModelConstants::model(uint64_t weightsHash) {
  std::vector<TensorSignature> inputs = abi.entry.inputs();
  VectorBits bits = declaredVectorBits(*facts.target);
  return place(record(
      {number(LH_MODEL_VERSION), text(facts.name), text(describeLibrary(facts)),
       tensors(inputs), number(static_cast<int64_t>(inputs.size())),
       number(static_cast<int64_t>(weights.all().size())), weightList(),
       function(abi.entry), abi.prepare ? place(function(*abi.prepare)) : null,
       facts.weightsFile.empty() ? null : text(facts.weightsFile),
       weightsHeader(weightsHash), featureList(),
       number(bits.streaming ? 0 : bits.least, 64),
       number(bits.streaming ? 0 : bits.most, 64), device(), state()}));
}

namespace {
/// A function of the header: it calls one of deploy/instance.c, to which it
/// adds the model where that takes it.
struct Forward {
  const char *name;
  unsigned arguments; ///< pointers and sizes, all of 64 bits
  enum class Gives { Status, Text, Nothing } gives;
  bool addsModel;
};
} // namespace

static constexpr Forward forwards[] = {
    {"create", 2, Forward::Gives::Status, true},
    {"run", 5, Forward::Gives::Status, false},
    {"destroy", 1, Forward::Gives::Nothing, false},
    {"error", 0, Forward::Gives::Text, false},
    {"description", 0, Forward::Gives::Text, true},
};

static void addForward(const Forward &forward, StringRef library,
                       llvm::Constant *model, llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  llvm::Type *given =
      forward.gives == Forward::Gives::Status ? builder.getInt32Ty()
      : forward.gives == Forward::Gives::Text ? pointer
                                              : builder.getVoidTy();
  std::vector<llvm::Type *> types(forward.arguments, pointer);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(given, types, false),
      llvm::GlobalValue::ExternalLinkage, library + "_" + forward.name, module);
  std::vector<llvm::Value *> arguments;
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  if (forward.addsModel) {
    arguments.push_back(model);
    types.push_back(pointer);
  }
  auto *callee =
      llvm::Function::Create(llvm::FunctionType::get(given, types, false),
                             llvm::GlobalValue::ExternalLinkage,
                             Twine("lh_net_") + forward.name, module);
  callee->setVisibility(llvm::GlobalValue::HiddenVisibility);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::CallInst *call = builder.CreateCall(callee, arguments);
  if (forward.gives == Forward::Gives::Nothing) {
    builder.CreateRetVoid();
    return;
  }
  builder.CreateRet(call);
  if (forward.gives == Forward::Gives::Status) {
    // As C has it on RISC-V.
    function->addRetAttr(llvm::Attribute::SExt);
    callee->addRetAttr(llvm::Attribute::SExt);
    call->addRetAttr(llvm::Attribute::SExt);
  }
}

/// By which programs that load libraries find the names of the rest. Weak: a
/// program may be linked with several.
static void addName(StringRef name, llvm::Module &module) {
  llvm::Constant *text =
      llvm::ConstantDataArray::getString(module.getContext(), name);
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::WeakAnyLinkage, text,
                           "lh_net_name");
}

FailureOr<std::string>
lh::modelObject(const LibraryFacts &facts, const ModuleAbi &abi,
                const LibraryWeights &weights, uint64_t weightsHash,
                llvm::TargetMachine &machine, const SourceSpan &where,
                DiagnosticSink &sink) {
  llvm::InitializeAllAsmParsers(); // of the weights' assembly
  llvm::LLVMContext context;
  llvm::Module module(facts.name, context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::Constant *model =
      ModelConstants(facts, abi, weights, module).model(weightsHash);
  for (const Forward &forward : forwards)
    addForward(forward, facts.name, model, module);
  addName(facts.name, module);
  if (facts.weightsFile.empty() && !weights.all().empty())
    module.setModuleInlineAsm(weights.assembly(facts.name));
  return generateCode(module, machine, CodeForm::Object, where, sink);
}
