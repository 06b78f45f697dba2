// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that have a name: what `plan` may begin with and end in.
#include "core/graph/NamedForms.h"

using namespace lh;

static FormDecl formOf(std::vector<std::string> dialects, StringRef boundary,
                       std::vector<std::string> withoutTypes) {
  FormDecl form;
  form.dialectsOnly = std::move(dialects);
  form.typesNone = std::move(withoutTypes);
  form.boundary = boundary.str();
  form.allocas = "outside-loops";
  return form;
}

static const std::vector<std::string> noBuffers = {"memref", "vector",
                                                   "scalable-vector"};

static FormDecl tosaForm() {
  FormDecl form =
      formOf({"func", "tosa", "arith", "tensor"}, "tensors", noBuffers);
  form.dialectsSome = {"tosa"};
  return form;
}

static FormDecl linalgForm() {
  FormDecl form = formOf({"func", "linalg", "tensor", "arith", "math", "scf",
                          "cf", "affine", "index"},
                         "tensors", noBuffers);
  form.typesSome = {"tensor"};
  return form;
}

static FormDecl loopsForm() {
  return formOf({"func", "scf", "affine", "memref", "arith", "math", "cf",
                 "index", "linalg"},
                "memrefs", {"tensor", "vector", "scalable-vector"});
}

static FormDecl vectorForm() {
  FormDecl form = formOf(
      {"func", "vector", "scf", "affine", "memref", "arith", "math", "index"},
      "memrefs", {"tensor"});
  form.dialectsSome = {"vector"};
  return form;
}

static FormDecl llvmForm() {
  return formOf({"llvm", "omp", "arm_sme"}, "pointers", {"tensor", "memref"});
}

namespace {
struct NamedForm {
  StringRef name;
  FormDecl (*make)();
};
} // namespace

static constexpr NamedForm origins[] = {
    {"onnx", linalgForm}, {"tosa", tosaForm},     {"linalg", linalgForm},
    {"loops", loopsForm}, {"vector", vectorForm}, {"llvm", llvmForm}};

static FormDecl linalgGoal() {
  FormDecl form;
  form.dialectsNone = {"tosa"};
  form.boundary = "tensors";
  return form;
}

static FormDecl memrefGoal() {
  FormDecl form;
  form.typesNone = {"tensor"};
  form.boundary = "memrefs";
  return form;
}

static FormDecl llvmGoal() {
  FormDecl form;
  form.dialectsOnly = {"llvm", "omp", "arm_sme", "gpu"};
  form.boundary = "pointers";
  return form;
}

static constexpr NamedForm goals[] = {
    {"linalg", linalgGoal}, {"memref", memrefGoal}, {"llvm", llvmGoal}};

static std::optional<FormDecl> formCalled(ArrayRef<NamedForm> forms,
                                          StringRef name) {
  for (const NamedForm &form : forms)
    if (form.name == name)
      return form.make();
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

FormDecl lh::codeForm() { return llvmGoal(); }
