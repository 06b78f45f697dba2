// The oracle's one fixed lowering; shares no bubble with any user's pipeline.
#ifndef LH_DRIVER_ORACLEPIPELINE_H
#define LH_DRIVER_ORACLEPIPELINE_H

namespace lh {

/// From an imported module to the LLVM dialect: f64 compute, plain loops.
extern const char *const oraclePipeline;

} // namespace lh

#endif // LH_DRIVER_ORACLEPIPELINE_H
