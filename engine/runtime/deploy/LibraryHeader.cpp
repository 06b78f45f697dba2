// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a library's C header.
#include "runtime/deploy/Assets.h"
#include "runtime/deploy/Description.h"

#include "core/support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace lh;

/// A name of the model's, as it may stand in a comment.
static std::string inComment(StringRef name) {
  std::string text;
  for (char c : name) {
    bool ends = c == '/' && !text.empty() && text.back() == '*';
    text += ends || !llvm::isPrint(c) ? '?' : c;
  }
  return text;
}

/// "Nx3x224x224"; "a scalar".
static std::string shapeOf(const TensorSignature &tensor) {
  std::vector<std::string> sizes;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    bool isNamed = i < tensor.symbols.size() && !tensor.symbols[i].empty();
    sizes.push_back(tensor.shape[i] >= 0 ? std::to_string(tensor.shape[i])
                    : isNamed            ? inComment(tensor.symbols[i])
                                         : "?");
  }
  return sizes.empty() ? "a scalar" : llvm::join(sizes, "x");
}

static void list(StringRef heading, ArrayRef<TensorSignature> tensors,
                 llvm::raw_ostream &out) {
  size_t widest = 0;
  for (const TensorSignature &tensor : tensors)
    widest = std::max(widest, inComment(tensor.name).size());
  out << "\n   " << heading << ", in this order:\n";
  for (size_t i = 0; i < tensors.size(); ++i)
    out << "     " << i << "  "
        << llvm::left_justify(inComment(tensors[i].name),
                              static_cast<unsigned>(widest))
        << "  " << dtypeName(tensors[i].dtype) << "  " << shapeOf(tensors[i])
        << "\n";
}

/// The C type of an element.
static StringRef elementType(DType dtype) {
  switch (dtype) {
  case DType::Float32:
    return "float";
  case DType::Float64:
    return "double";
  case DType::Int64:
    return "int64_t";
  case DType::Int32:
    return "int32_t";
  case DType::Int16:
    return "int16_t";
  case DType::Int8:
  case DType::Int4:
  case DType::Int2:
    return "int8_t";
  case DType::UInt64:
    return "uint64_t";
  case DType::UInt32:
    return "uint32_t";
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    return "uint16_t";
  default:
    return "uint8_t";
  }
}

static std::string typeConstant(DType dtype) {
  return "LH_" + dtypeName(dtype).upper();
}

/// An example that compiles once open sizes, which it takes as 1, are known.
static void addExample(const LibraryFacts &facts, llvm::raw_ostream &out) {
  StringRef name = facts.name;
  std::string upper = name.upper();
  std::vector<TensorSignature> inputs = facts.entry->inputs();
  out << "   For example, without a look at what the functions return:\n\n"
      << "     struct " << name << " *net;\n     " << name
      << "_create(&net, NULL);\n";
  std::string given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> sizes;
    for (int64_t size : inputs[i].shape)
      sizes.push_back(std::to_string(std::max<int64_t>(size, 1)));
    std::string variable = "input" + std::to_string(i);
    out << "     static " << elementType(inputs[i].dtype) << " " << variable
        << "[" << (sizes.empty() ? "1" : llvm::join(sizes, " * ")) << "];\n";
    given +=
        (Twine("         {") + variable + ", sizeof " + variable + ", " +
         typeConstant(inputs[i].dtype) + ", " + Twine(inputs[i].shape.size()) +
         ", {" + llvm::join(sizes, ", ") + "}},\n")
            .str();
  }
  out << "     struct lh_tensor inputs[" << upper << "_INPUTS + 1] = {\n"
      << given << "     };\n     struct lh_tensor outputs[" << upper
      << "_OUTPUTS + 1] = {0};\n     " << name << "_run(net, inputs, " << upper
      << "_INPUTS, outputs, " << upper << "_OUTPUTS);\n     // outputs[0].data"
      << " has the numbers, until the next call\n     " << name
      << "_destroy(net);\n";
}

static constexpr const char *declarations = R"(
#ifdef __cplusplus
extern "C" {
#endif

enum { @UPPER@_INPUTS = @INPUTS@, @UPPER@_OUTPUTS = @OUTPUTS@ };

/* A model that is ready to run. Each thread may have one of its own; they share
   the weights. Calls of one instance wait for each other. */
struct @NAME@;

/* Makes an instance: looks at the machine, and prepares the weights for it.
   `weights` is the path of @NAME@'s file of weights, or null where they are
   embedded, or lie beside the library. An lh_status. */
int @NAME@_create(struct @NAME@ **instance, const char *weights);

/* Runs the model. Inputs stay as they are. An output whose `data` is null gets
   memory of the instance, which is good until its next run; another one is
   written to `data`, and needs `bytes` for it. Types and shapes of outputs are
   filled in. Once it was called with some sizes, further calls with them
   allocate nothing. An lh_status. */
int @NAME@_run(struct @NAME@ *instance, const struct lh_tensor *inputs,
    size_t input_count, struct lh_tensor *outputs, size_t output_count);

/* Ends an instance; null is none. */
void @NAME@_destroy(struct @NAME@ *instance);

/* What went wrong on this thread last. */
const char *@NAME@_error(void);

/* Inputs, outputs and what the library needs, as JSON. */
const char *@NAME@_description(void);

#ifdef __cplusplus
}
#endif

#endif
)";

static std::string replaced(std::string text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string lh::libraryHeader(const LibraryFacts &facts) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::string upper = StringRef(facts.name).upper();
  std::vector<TensorSignature> inputs = facts.entry->inputs();
  out << "/* " << facts.name << ": made by " << versionText()
      << "\n   for target " << inComment(facts.target->name) << ".\n";
  list("Inputs", inputs, out);
  list("Outputs", facts.entry->results, out);
  out << "\n";
  addExample(facts, out);
  out << "*/\n#ifndef LH_NET_" << upper << "_H\n#define LH_NET_" << upper
      << "_H\n\n"
      << assets::tensorHeader;
  std::string rest = replaced(declarations, "@NAME@", facts.name);
  rest = replaced(rest, "@UPPER@", upper);
  rest = replaced(rest, "@INPUTS@", std::to_string(inputs.size()));
  out << replaced(rest, "@OUTPUTS@",
                  std::to_string(facts.entry->results.size()));
  return text;
}
