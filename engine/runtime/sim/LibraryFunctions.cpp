// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libdevice and OCML functions of one, two or three floats.
#include "runtime/sim/LibraryFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace lh;

static constexpr StringRef hostFunctions[] = {
    "acos",  "acosh", "asin",     "asinh",     "atan",  "atan2",     "atanh",
    "cbrt",  "ceil",  "copysign", "cos",       "cosh",  "erf",       "erfc",
    "exp",   "exp10", "exp2",     "expm1",     "fabs",  "fdim",      "floor",
    "fma",   "fmax",  "fmin",     "fmod",      "hypot", "lgamma",    "log",
    "log10", "log1p", "log2",     "nearbyint", "pow",   "remainder", "rint",
    "round", "sin",   "sinh",     "sqrt",      "tan",   "tanh",      "tgamma",
    "trunc"};

/// "expf" of "__nv_expf", "__nv_fast_expf" or "__ocml_native_exp_f32"; "exp"
/// for doubles.
static std::optional<std::string> hostName(StringRef name) {
  std::string suffix;
  if (name.consume_front("__nv_")) {
    name.consume_front("fast_");
    bool known = llvm::is_contained(hostFunctions, name);
    if (!known && name.consume_back("f"))
      suffix = "f";
  } else if (name.consume_front("__ocml_")) {
    name.consume_front("native_");
    if (name.consume_back("_f32") || name.consume_back("_f16"))
      suffix = "f";
    else if (!name.consume_back("_f64"))
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (name == "powr")
    name = "pow";
  if (!llvm::is_contained(hostFunctions, name))
    return std::nullopt;
  return name.str() + suffix;
}

bool lh::isLibraryFunction(StringRef name) {
  return name.starts_with("__nv_") || name.starts_with("__ocml_") ||
         name.starts_with("__ockl_");
}

void lh::showLibraryFunctions(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (StringRef name = function.getName();
        name.consume_front(hiddenMark) && isLibraryFunction(name))
      function.setName(name.str());
}

bool lh::useHostFunction(llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  std::optional<std::string> name = hostName(callee->getName());
  if (!name)
    return false;
  llvm::IRBuilder<> builder(&call);
  llvm::Type *type = call.getType()->isDoubleTy() ? builder.getDoubleTy()
                                                  : builder.getFloatTy();
  std::vector<llvm::Type *> parameters(call.arg_size(), type);
  llvm::FunctionCallee host = call.getModule()->getOrInsertFunction(
      *name, llvm::FunctionType::get(type, parameters, false));
  std::vector<llvm::Value *> arguments;
  for (llvm::Value *argument : call.args())
    arguments.push_back(builder.CreateFPCast(argument, type));
  llvm::Value *result = builder.CreateCall(host, arguments);
  call.replaceAllUsesWith(builder.CreateFPCast(result, call.getType()));
  call.eraseFromParent();
  return true;
}
