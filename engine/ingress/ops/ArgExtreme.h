// The position of a largest or smallest element.
#ifndef LH_INGRESS_OPS_ARGEXTREME_H
#define LH_INGRESS_OPS_ARGEXTREME_H

#include "ingress/NodeContext.h"

namespace lh {

struct ArgExtreme {
  bool isMax = true, takesLast = false;
};

/// The position (int64) of the largest (smallest) element along `axis`, which
/// the result lacks; of several, the first (last). NaN beats every number.
mlir::Value emitArgExtreme(NodeContext &node, mlir::Value tensor, int64_t axis,
                           DType dtype, ArgExtreme kind);

} // namespace lh

#endif // LH_INGRESS_OPS_ARGEXTREME_H
