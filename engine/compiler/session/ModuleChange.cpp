// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How two modules differ, operation by operation.
#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/session/MlirSession.h"
#include "compiler/session/StepParts.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/Hashing.h"

#include <map>
#include <set>

using namespace lh;

/// How many operations of each side are shown.
constexpr size_t mostShown = 5;

/// Attributes are unique in a context; but what a resource holds is named anew
/// by each file.
static llvm::hash_code hashOf(mlir::DictionaryAttr attributes) {
  llvm::hash_code hash = 0;
  for (mlir::NamedAttribute attribute : attributes) {
    mlir::Attribute value = attribute.getValue();
    if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(value))
      value = mlir::TypeAttr::get(resource.getType());
    hash = llvm::hash_combine(hash, attribute.getName(), value);
  }
  return hash;
}

/// What an operation is, and to `depth` what its operands are.
static llvm::hash_code hashOf(mlir::Operation *op, unsigned depth) {
  llvm::hash_code hash =
      llvm::hash_combine(op->getName(), hashOf(op->getAttrDictionary()),
                         op->getNumRegions(), op->getNumSuccessors());
  for (mlir::Type type : op->getResultTypes())
    hash = llvm::hash_combine(hash, type);
  for (mlir::Value operand : op->getOperands()) {
    hash = llvm::hash_combine(hash, operand.getType());
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(operand)) {
      hash = llvm::hash_combine(hash, argument.getArgNumber(),
                                argument.getOwner()->getParentOp()->getName());
      continue;
    }
    auto result = llvm::cast<mlir::OpResult>(operand);
    hash = llvm::hash_combine(hash, result.getResultNumber(),
                              depth > 0 ? hashOf(result.getOwner(), depth - 1)
                                        : llvm::hash_code(0));
  }
  return hash;
}

namespace {
/// The operations of a module by what they are, in order.
struct Contents {
  Contents(mlir::ModuleOp module, unsigned depth) {
    module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (op == module)
        return;
      order.push_back(op);
      hashes.push_back(hashOf(op, depth));
      ++counts[hashes.back()];
    });
  }

  /// Those of which `other` has fewer.
  std::vector<mlir::Operation *> without(const Contents &other) const {
    std::map<size_t, size_t> left = other.counts;
    std::vector<mlir::Operation *> rest;
    for (size_t i = 0; i < order.size(); ++i) {
      auto known = left.find(hashes[i]);
      if (known != left.end() && known->second > 0)
        --known->second;
      else
        rest.push_back(order[i]);
    }
    return rest;
  }

  std::vector<mlir::Operation *> order;
  std::vector<size_t> hashes;
  std::map<size_t, size_t> counts;
};
} // namespace

/// One line, without what large constants and regions hold.
static std::string shortText(mlir::Operation *op) {
  mlir::OpPrintingFlags flags;
  flags.skipRegions().elideLargeElementsAttrs(8).useLocalScope();
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, flags);
  StringRef line = StringRef(text).split('\n').first;
  constexpr size_t longest = 160;
  return line.size() > longest ? line.take_front(longest).str() + "..."
                               : line.str();
}

static void addNames(mlir::Operation *op, std::set<std::string> &seen,
                     std::vector<std::string> &names) {
  op->getLoc()->walk([&](mlir::Location inner) {
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(inner))
      if (seen.insert(name.getName().str()).second)
        names.push_back(name.getName().str());
    return mlir::WalkResult::advance();
  });
}

FailureOr<ModuleChange> lh::changeBetween(const std::string &before,
                                          const std::string &after,
                                          MlirSession &session,
                                          DiagnosticSink &sink) {
  auto old = importMlir(before, session.context(), sink);
  auto fresh = importMlir(after, session.context(), sink);
  if (failed(old) || failed(fresh))
    return failure();
  std::vector<mlir::Operation *> gone, came;
  // What lies near tells what has changed; operands may be swapped farther off.
  for (unsigned depth : {1, 4}) {
    Contents was(**old, depth), is(**fresh, depth);
    gone = was.without(is);
    came = is.without(was);
    if (!gone.empty() || !came.empty())
      break;
  }
  ModuleChange change;
  change.gone = gone.size();
  change.came = came.size();
  std::set<std::string> seen;
  for (auto [ops, texts] :
       {std::pair(&gone, &change.goneOps), std::pair(&came, &change.cameOps)})
    for (mlir::Operation *op : *ops) {
      if (texts->size() < mostShown)
        texts->push_back(shortText(op));
      addNames(op, seen, change.names);
    }
  return change;
}

FailureOr<std::string> lh::textWithPlaces(const std::string &file,
                                          MlirSession &session,
                                          DiagnosticSink &sink) {
  auto module = importMlir(file, session.context(), sink);
  if (failed(module))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << '\n';
  return text;
}
