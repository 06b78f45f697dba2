// Passes right before bufferization; docs/upstream-gaps.md says why each exists.
#ifndef LH_IR_GAPS_BUFFERPASSES_H
#define LH_IR_GAPS_BUFFERPASSES_H

namespace lh {

/// `lh-split-empties` (any op, on tensors, right before bufferization): no
/// tensor.empty has more than `most-uses` uses.
void registerSplitEmptiesPass();

} // namespace lh

#endif // LH_IR_GAPS_BUFFERPASSES_H
