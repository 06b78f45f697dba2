// AMD's instruction set documents, "VOP3P", "DPP" and "LDS".
#include "backend/gpu/sim/AmdOperations.h"

using namespace lh;

std::optional<SimOperation> lh::findAmdOperation(const SimOperationName &,
                                                 const SimChip &) {
  return std::nullopt;
}
