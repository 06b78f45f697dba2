// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a masked write put into a tensor, read again under the same mask, stays
// in the register. Upstream forwards writes without masks only; left in place,
// the pair keeps a slice of the result alive that nothing needs, for which
// bufferization copies the result.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_FORWARDMASKEDPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// The write whose elements `read` reads, all of them and no others.
static vector::TransferWriteOp writeOf(vector::TransferReadOp read) {
  auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
  bool isSame = write && read.getMask() && read.getMask() == write.getMask() &&
                read.getIndices() == write.getIndices() &&
                read.getVectorType() == write.getVectorType() &&
                read.getPermutationMap() == write.getPermutationMap() &&
                !read.hasOutOfBoundsDim() && !write.hasOutOfBoundsDim();
  return isSame ? write : nullptr;
}

namespace {
struct ForwardMaskedPass : lh::impl::ForwardMaskedPassBase<ForwardMaskedPass> {
  void runOnOperation() override {
    getOperation()->walk([](vector::TransferReadOp read) {
      vector::TransferWriteOp write = writeOf(read);
      if (!write)
        return;
      // Lanes that the mask leaves out are read as padding.
      OpBuilder builder(read);
      Value padding = vector::BroadcastOp::create(
          builder, read.getLoc(), read.getVectorType(), read.getPadding());
      Value lanes =
          arith::SelectOp::create(builder, read.getLoc(), read.getMask(),
                                  write.getValueToStore(), padding);
      read.replaceAllUsesWith(lanes);
      read.erase();
    });
  }
};
} // namespace
