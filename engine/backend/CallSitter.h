// Loaded code that sits in a seat and is called when told to.
#ifndef LH_BACKEND_CALLSITTER_H
#define LH_BACKEND_CALLSITTER_H

#include "backend/Backend.h"
#include "bench/Seat.h"

namespace lh {

/// Calls `executable`'s entry on `inputs`; in the end its results must be
/// `outputs`, which were judged. All are borrowed.
std::unique_ptr<Sitter> makeCallSitter(Executable &executable,
                                       ArrayRef<NamedTensor> inputs,
                                       ArrayRef<NamedTensor> outputs,
                                       const SourceSpan &where);

} // namespace lh

#endif // LH_BACKEND_CALLSITTER_H
