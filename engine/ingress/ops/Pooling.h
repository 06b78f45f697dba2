// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that other operators are made of.
#ifndef LH_INGRESS_OPS_POOLING_H
#define LH_INGRESS_OPS_POOLING_H

#include "ingress/OpTable.h"

namespace lh {

/// AveragePool of input 0, by the node's attributes.
LogicalResult convertAveragePool(NodeContext &node);

} // namespace lh

#endif // LH_INGRESS_OPS_POOLING_H
