// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's file by itself: what form it is in, and what its entry takes.
#ifndef LH_COMPILER_SESSION_MODELFILE_H
#define LH_COMPILER_SESSION_MODELFILE_H

#include "compiler/session/MlirSession.h"
#include "core/graph/ModuleForm.h"
#include "core/manifest/Manifest.h"

namespace lh {

/// What a caller feeds an entry; -1 is an open size. All sizes of one name are
/// equal; "" is none.
struct EntryInput {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<std::string> sizeNames; ///< one for each size, or none at all
};

struct ModelEntry {
  std::string name; ///< 'main', else the first public function; may be empty
  std::vector<EntryInput> inputs; ///< without weights
};

struct ModelFile {
  ModuleForm form;
  ModelEntry entry;
};

/// What the file at `path` is to be read as, by what it holds; MLIR where
/// nothing says otherwise.
IngressKind kindOfModel(const std::string &path);

/// Fails where the file at `path` is certainly of another kind than `kind`
/// reads: the message names the right ingress, or what to do instead.
LogicalResult checkModelKind(const std::string &path, IngressKind kind,
                             DiagnosticSink &sink);

/// Reads an ONNX model, a StableHLO program or an MLIR module, text or
/// bytecode. Reports why it can't.
FailureOr<ModelFile> readModelFile(const std::string &path,
                                   MlirSession &session, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODELFILE_H
