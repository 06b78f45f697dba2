// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops compute with channels last, and how dimensions change for it.
#ifndef LH_COMPILER_GAPS_WINDOWS_CHANNELOPS_H
#define LH_COMPILER_GAPS_WINDOWS_CHANNELOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace lh {

/// Of a tensor; 0 of other values.
int64_t tensorRank(mlir::Value value);

/// Where the dimensions of a tensor [batch][channels][...] come from when its
/// channels go last; there may be groups of channels, in two dimensions.
llvm::SmallVector<int64_t> lastOrder(int64_t rank, int64_t channels = 1);

/// Whether a function with this op gets its channels last: a convolution, a
/// pool, a product of pixels whose channels were last in the model.
bool isForChannelsLast(mlir::Operation *op);

/// A product of every pixel's channels with one matrix, as imports make of
/// convolutions by one pixel: result[b][f][p] += matrix[f][c] input[b][c][p].
bool isPixelProduct(mlir::linalg::LinalgOp op);

/// Of groups of channels.
bool isGrouped(mlir::Operation *op);

/// With channels second; also grouped or depthwise.
bool isConvolution(mlir::Operation *op);

/// A pool of several channels.
bool isPool(mlir::Operation *op);

/// Whether the op computes a pixel of an image from others at places that it
/// computes: its body reads images by `tensor.extract`, each channel its own.
bool gathersPixels(mlir::linalg::LinalgOp op);

/// Whether the operand is a depthwise convolution's filter.
bool isDepthwiseFilter(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// Whether nobody else reads what is computed of one tensor's elements: that
/// tensor may have smaller ones, and is turned just as well.
bool isElementwiseOfOne(mlir::Operation *producer);

/// How many dimensions the channels of an op's image have.
int64_t channelsOf(mlir::Operation *op);

/// The dimensions that a reshape between `apart`, which has so many of
/// channels, and `whole` merges, when channels are last; none where it merges
/// channels or images with others.
std::optional<llvm::SmallVector<mlir::ReassociationIndices>>
moveGroups(llvm::SmallVector<mlir::ReassociationIndices> groups,
           mlir::Value apart, mlir::Value whole, int64_t channels);

/// Groups of channels are moved where all of the results' are merged.
bool mayMoveGroups(mlir::linalg::LinalgOp op);

/// Merges and splits a grouped convolution's channels where what reads them keeps
/// the groups, as a shuffle by the same groups does: so they may be moved.
void mergeGroups(mlir::linalg::LinalgOp op);

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_CHANNELOPS_H
