// A pass that says what kernels may use.
#ifndef LH_IR_GAPS_KERNELBUDGET_H
#define LH_IR_GAPS_KERNELBUDGET_H

namespace lh {

/// `lh-kernel-budget` (modules): `lh.kernel_budget` with what each kernel may
/// use (registers, spills, shared bytes) and the instructions that the device
/// code must have. Backends for GPUs check it.
void registerKernelBudgetPass();

} // namespace lh

#endif // LH_IR_GAPS_KERNELBUDGET_H
