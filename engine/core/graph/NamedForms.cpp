// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that have a name: what `plan` may begin with and end in.
#include "core/graph/NamedForms.h"

#include "core/manifest/ManifestParser.h"

using namespace lh;

namespace {
struct NamedForm {
  StringRef name, contract;
};
} // namespace

static constexpr StringRef linalgContract =
    "dialects: {only: [func, linalg, tensor, arith, math, scf, cf, affine, "
    "index]}, types: {none: [memref, vector, scalable-vector], some: "
    "[tensor]}, allocas: outside-loops, boundary: tensors";

static constexpr NamedForm origins[] = {
    {"onnx", linalgContract},
    {"tosa",
     "dialects: {only: [func, tosa, arith, tensor], some: [tosa]}, types: "
     "{none: [memref, vector, scalable-vector]}, allocas: outside-loops, "
     "boundary: tensors"},
    {"stablehlo", linalgContract},
    {"linalg", linalgContract},
    {"loops",
     "dialects: {only: [func, scf, affine, memref, arith, math, cf, index, "
     "linalg]}, types: {none: [tensor, vector, scalable-vector]}, allocas: "
     "outside-loops, boundary: memrefs"},
    {"vector",
     "dialects: {only: [func, vector, scf, affine, memref, arith, math, "
     "index], some: [vector]}, types: {none: [tensor]}, allocas: "
     "outside-loops, boundary: memrefs"},
    {"llvm", "dialects: {only: [llvm, omp, arm_sme]}, types: {none: [tensor, "
             "memref]}, allocas: outside-loops, boundary: pointers"}};

static constexpr NamedForm goals[] = {
    {"linalg", "dialects: {none: [tosa]}, boundary: tensors"},
    {"memref", "types: {none: [tensor]}, boundary: memrefs"},
    {"llvm",
     "dialects: {only: [llvm, omp, arm_sme, gpu]}, boundary: pointers"}};

static std::optional<FormDecl> formCalled(ArrayRef<NamedForm> forms,
                                          StringRef name) {
  for (const NamedForm &form : forms) {
    if (form.name != name)
      continue;
    CollectingSink none;
    FailureOr<BubbleFile> file = parseBubbleFile(
        ("{lighthouse: 1, passes: none, requires: {" + form.contract + "}}")
            .str(),
        name, none);
    assert(succeeded(file) && "the tables above are contracts");
    file->requires_->where = {};
    return file->requires_;
  }
  return std::nullopt;
}

static std::vector<StringRef> namesOf(ArrayRef<NamedForm> forms) {
  std::vector<StringRef> names;
  for (const NamedForm &form : forms)
    names.push_back(form.name);
  return names;
}

std::optional<FormDecl> lh::originForm(StringRef name) {
  return formCalled(origins, name);
}
std::vector<StringRef> lh::originFormNames() { return namesOf(origins); }
std::optional<FormDecl> lh::goalForm(StringRef name) {
  return formCalled(goals, name);
}
std::vector<StringRef> lh::goalFormNames() { return namesOf(goals); }

FormDecl lh::codeForm() { return *goalForm("llvm"); }
