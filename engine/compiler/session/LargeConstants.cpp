// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what large constants hold in files beside a module.
#include "compiler/session/LargeConstants.h"

#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;
using mlir::DenseIntOrFPElementsAttr;
using mlir::DenseResourceElementsAttr;
using Resource = mlir::DenseResourceElementsHandle;

constexpr size_t largeBytes = 4096;
constexpr StringRef denseName = "lh_elided_dense_";
constexpr StringRef resourceName = "lh_elided_resource_";
constexpr size_t hashLength = 32;

static StringRef bytesOf(ArrayRef<char> data) {
  return {data.data(), data.size()};
}

static const mlir::AsmResourceBlob *blobOf(DenseResourceElementsAttr constant) {
  return constant.getRawHandle().getBlob();
}

static bool isLarge(mlir::Attribute attribute) {
  if (auto dense = llvm::dyn_cast<DenseIntOrFPElementsAttr>(attribute))
    return !dense.isSplat() && dense.getRawData().size() > largeBytes;
  auto resource = llvm::dyn_cast<DenseResourceElementsAttr>(attribute);
  return resource && blobOf(resource) &&
         blobOf(resource)->getData().size() > largeBytes;
}

bool lh::hasLargeConstants(mlir::ModuleOp module) {
  auto isIn = [](mlir::Operation *operation) {
    for (mlir::NamedAttribute attribute : operation->getAttrs())
      if (isLarge(attribute.getValue()))
        return mlir::WalkResult::interrupt();
    return mlir::WalkResult::advance();
  };
  return module->walk(isIn).wasInterrupted();
}

/// Replaces constants that operations hold as they are, which is how dialects
/// hold them.
static LogicalResult
replaceConstants(mlir::ModuleOp module,
                 llvm::function_ref<FailureOr<mlir::Attribute>(mlir::Attribute)>
                     replacement) {
  auto visit = [&](mlir::Operation *operation) {
    mlir::DictionaryAttr all = operation->getAttrDictionary();
    for (mlir::NamedAttribute attribute : all) {
      FailureOr<mlir::Attribute> made = replacement(attribute.getValue());
      if (failed(made))
        return mlir::WalkResult::interrupt();
      if (*made)
        operation->setAttr(attribute.getName(), *made);
    }
    return mlir::WalkResult::advance();
  };
  return failure(module->walk(visit).wasInterrupted());
}

static std::string fileOf(StringRef folder, StringRef hash) {
  // What is restored names its data itself.
  return (folder + "/" + fileSafe(hash) + ".bin").str();
}

static LogicalResult storeOnce(StringRef folder, StringRef hash,
                               StringRef bytes, const SourceSpan &from,
                               DiagnosticSink &sink) {
  std::string path = fileOf(folder, hash);
  uint64_t size = 0;
  if (!llvm::sys::fs::file_size(path, size) && size == bytes.size())
    return success();
  return writeFileAtomically(path, bytes, from, sink);
}

LogicalResult lh::storeLargeConstants(mlir::ModuleOp module, StringRef folder,
                                      const SourceSpan &from,
                                      DiagnosticSink &sink) {
  auto &manager = Resource::getManagerInterface(module.getContext());
  auto stored = [&](mlir::Attribute attribute) -> FailureOr<mlir::Attribute> {
    if (!isLarge(attribute))
      return mlir::Attribute();
    auto dense = llvm::dyn_cast<DenseIntOrFPElementsAttr>(attribute);
    StringRef bytes =
        bytesOf(dense ? dense.getRawData()
                      : blobOf(llvm::cast<DenseResourceElementsAttr>(attribute))
                            ->getData());
    std::string hash = keyHex({bytes});
    if (failed(storeOnce(folder, hash, bytes, from, sink)))
      return failure();
    Resource handle =
        manager.insert(((dense ? denseName : resourceName) + hash).str());
    auto type = llvm::cast<mlir::ElementsAttr>(attribute).getShapedType();
    return mlir::Attribute(DenseResourceElementsAttr::get(type, handle));
  };
  return replaceConstants(module, stored);
}

LogicalResult lh::restoreLargeConstants(mlir::ModuleOp module, StringRef folder,
                                        const SourceSpan &from,
                                        DiagnosticSink &sink) {
  auto &manager = Resource::getManagerInterface(module.getContext());
  auto restored = [&](mlir::Attribute attribute) -> FailureOr<mlir::Attribute> {
    auto elided = llvm::dyn_cast<DenseResourceElementsAttr>(attribute);
    if (!elided)
      return mlir::Attribute();
    StringRef name = elided.getRawHandle().getKey();
    bool isDense = name.consume_front(denseName);
    if (!isDense && !name.consume_front(resourceName))
      return mlir::Attribute();
    StringRef hash = name.take_front(hashLength);
    std::string path = fileOf(folder, hash);
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer || keyHex({(*buffer)->getBuffer()}) != hash)
      return sink.error(DiagKind::IrBadSnapshot, from,
                        "what a large constant holds should be in '" + path +
                            "', which is " +
                            (buffer ? "damaged" : "not there") +
                            "; keep the folder of snapshots whole");
    StringRef bytes = (*buffer)->getBuffer();
    ArrayRef<char> data(bytes.data(), bytes.size());
    if (isDense)
      return mlir::Attribute(
          mlir::DenseElementsAttr::getFromRawBuffer(elided.getType(), data));
    Resource handle =
        manager.insert(("snapshot_" + hash).str(),
                       mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(
                           data, /*align=*/64));
    return mlir::Attribute(
        DenseResourceElementsAttr::get(elided.getType(), handle));
  };
  return replaceConstants(module, restored);
}
