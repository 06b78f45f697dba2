// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a model as files that can be run by themselves.
#ifndef LH_STEPS_MODELGROUPS_H
#define LH_STEPS_MODELGROUPS_H

#include "steps/ModuleRunner.h"

namespace lh {

/// A model that was imported once, to be taken apart by its nodes.
class ModelGroups {
public:
  /// `import` is of any kind of model. Fails as its import does.
  static FailureOr<ModelGroups> open(const Step &import, std::string entry,
                                     MlirSession &session,
                                     DiagnosticSink &sink);

  /// Writes one of `nodes`, the first that can stand alone, with what is
  /// computed along with it (groupModule()). Nothing, and why in `whyNot`,
  /// where none can. Fails where the file can't be written.
  FailureOr<bool> write(ArrayRef<std::string> nodes, bool channelsLast,
                        const std::string &file, std::string &whyNot,
                        DiagnosticSink &sink);

private:
  ModelGroups(std::unique_ptr<ModuleRunner> model, std::string entry)
      : model(std::move(model)), entry(std::move(entry)) {}

  std::unique_ptr<ModuleRunner> model;
  std::string entry;
};

} // namespace lh

#endif // LH_STEPS_MODELGROUPS_H
