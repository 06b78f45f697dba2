// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the first bytes of files.
#include "core/graph/ModelSniffing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
/// What begins so is no model that can be read.
struct ForeignKind {
  size_t offset;
  StringRef bytes; ///< at `offset`
  StringRef kind, remedy;
};
} // namespace

static constexpr StringRef exportOnnx =
    "export the model as ONNX (torch.onnx.export, tf2onnx, skl2onnx)";

static constexpr ForeignKind foreignKinds[] = {
    {4, "TFL3", "a TensorFlow Lite model",
     "make TOSA of it (tosa-converter-for-tflite model.tflite -o model.mlir), "
     "which 'ingress: mlir' reads, or ONNX (tflite2onnx)"},
    {0, "HloModule", "HLO text",
     "convert it to MLIR first (jax.jit(f).lower(x).as_text() is StableHLO)"},
    {0, "PK\x03\x04", "a zip archive, as PyTorch and Keras save models",
     exportOnnx},
    {0, "\x89HDF", "an HDF5 file, as Keras saves models", exportOnnx},
    {0, "\x80\x02", "a Python pickle, as PyTorch saved models", exportOnnx},
    {0, "GGUF", "a GGUF file", exportOnnx},
    {0, "\x93NUMPY", "a NumPy array", "a model takes it: '--input x=@FILE'"},
    {0,
     "\x7f"
     "ELF",
     "a program or library", "give the model that it was made from"},
};

namespace {
/// MLIR's text with an operation of such a dialect can't be read.
struct ForeignDialect {
  StringRef begin; ///< of its operations
  StringRef kind, remedy;
};
} // namespace

static constexpr ForeignDialect foreignDialects[] = {
    {"tt.func", "a Triton kernel",
     "let triton-shared make upstream dialects of it first "
     "(triton-shared-opt --triton-to-linalg-experimental)"},
    {"torch.aten.", "a module of torch-mlir's own dialect",
     "lower it there: output_type 'linalg-on-tensors', 'tosa' or 'stablehlo'"},
};

/// Text without its comments that has an operation which begins so. Constants
/// make lines long, and their names come early.
static bool hasOperation(StringRef text, StringRef begin) {
  constexpr size_t mostOfLine = 512;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.take_front(mostOfLine);
    line = line.take_front(line.find("//"));
    for (size_t at = line.find(begin); at != StringRef::npos;
         at = line.find(begin, at + 1))
      if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '"')
        return true;
  }
  return false;
}

/// A ModelProto begins with its field ir_version, a small number, and the next
/// field's key follows (onnx.proto).
static bool looksLikeOnnx(StringRef contents) {
  return contents.size() > 4 && contents[0] == '\x08' && contents[1] > 0 &&
         contents[1] < 0x20 &&
         (contents[2] == '\x12' || contents[2] == '\x1a' ||
          contents[2] == '\x22' || contents[2] == '\x2a' ||
          contents[2] == '\x3a' || contents[2] == '\x42');
}

/// Text with an operation of StableHLO, or a portable artifact, whose producer
/// MLIR's bytecode names.
static bool looksLikeStablehlo(StringRef contents) {
  if (contents.starts_with("ML\xefR"))
    return contents.take_front(64).contains("StableHLO_v");
  return hasOperation(contents, "stablehlo.") ||
         hasOperation(contents, "chlo.");
}

/// MLIR's text begins with an op or an alias, after comments.
static bool looksLikeMlir(StringRef contents) {
  for (StringRef line : llvm::split(contents, '\n')) {
    line = line.ltrim();
    if (line.empty() || line.starts_with("//"))
      continue;
    return line.starts_with("module") || line.starts_with("func.func") ||
           line.starts_with("builtin.module") ||
           line.starts_with("\"builtin.") ||
           (line.size() > 1 && (line[0] == '#' || line[0] == '!') &&
            llvm::isAlpha(line[1]) && line.contains(" = "));
  }
  return false;
}

std::optional<SniffedFile> lh::sniffModel(StringRef path, StringRef contents) {
  StringRef ending = llvm::sys::path::extension(path);
  for (const ForeignKind &foreign : foreignKinds)
    if (contents.substr(foreign.offset).starts_with(foreign.bytes))
      return SniffedFile{{}, "", foreign.kind.str(), foreign.remedy.str()};
  if (ending == ".onnx" || looksLikeOnnx(contents))
    return SniffedFile{IngressKind::Onnx, "onnx", "an ONNX model", ""};
  if (ending == ".py")
    return SniffedFile{IngressKind::Onnx, "python", "a Python program", ""};
  bool isMlir = ending == ".mlir" || ending == ".mlirbc" ||
                contents.starts_with("ML\xefR");
  bool isOther = ending == ".yaml" || ending == ".yml" || ending == ".json";
  bool isText = isMlir || (!isOther && looksLikeMlir(contents));
  if (isText)
    for (const ForeignDialect &foreign : foreignDialects)
      if (hasOperation(contents, foreign.begin))
        return SniffedFile{{}, "", foreign.kind.str(), foreign.remedy.str()};
  if (isText && looksLikeStablehlo(contents))
    return SniffedFile{IngressKind::Stablehlo, "stablehlo",
                       "a StableHLO program", ""};
  if (isText)
    return SniffedFile{IngressKind::Mlir, "mlir", "an MLIR module", ""};
  return std::nullopt;
}
