// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expected outputs of a golden case, in the making.
#ifndef LH_CLI_RECORDING_H
#define LH_CLI_RECORDING_H

#include "core/plan/GoldenRecord.h"
#include "steps/RunSetup.h"

namespace lh {

struct RecordOptions {
  GraphOptions graph; ///< a target given: into its override folder
  std::string dtype;  ///< likewise: outputs of this element type alone
  std::string against = "oracle";
  std::string outDir; ///< the new golden folder of a generated case
  bool acceptRegression = false;
  bool replaceProducer = false; ///< of outputs that lh-run didn't record
};

/// One recording. Its functions go in the order in which they are called.
class Recording {
public:
  Recording(const RecordOptions &options, RunSetup &setup, DriverEnv &env,
            DiagnosticSink &sink)
      : options(options), setup(setup), graph(setup.graph), env(env),
        sink(sink) {}

  LogicalResult findCase();
  LogicalResult findSource();
  LogicalResult makePlan();
  LogicalResult runPlan();
  /// Refuses to write over what another program made, unless asked to.
  LogicalResult checkProducer();
  LogicalResult collectOutputs();
  /// Prints the errors; false when something got worse.
  bool isAcceptable();
  LogicalResult write();

private:
  LogicalResult refuse(const Twine &message) {
    return sink.error(DiagKind::DriverNotRecorded, where, message);
  }
  LogicalResult findPlace();
  std::optional<StepId> leafOf(StringRef reference) const;
  std::optional<StepId> firstFailure(StepId leaf) const;
  LogicalResult requirePassed(StepId leaf, StringRef what);
  FailureOr<Tensor> loadOutput(StepId leaf, StringRef name);
  std::optional<Tensor> loadOld(StringRef file) const;
  FailureOr<DType> typeOf(StringRef name, const std::optional<Tensor> &old);
  LogicalResult addInputs(FolderChanges &changes);
  LogicalResult addModel(FolderChanges &changes);
  LogicalResult describe(FolderChanges &changes);
  std::optional<Provenance> sidecarAt(StringRef path) const;
  void startProvenance();
  bool dropUnchanged(FolderChanges &changes) const;

  const RecordOptions &options;
  RunSetup &setup;
  ResolvedGraph &graph;
  DriverEnv &env;
  DiagnosticSink &sink;

  SourceSpan where; ///< the case
  const GenerateCase *generated = nullptr;
  std::string source;   ///< "oracle" or the pipeline whose results are kept
  std::string pipeline; ///< that one, or the one that tells the types
  Plan plan;
  PlannedResult result;
  const DataSet *data = nullptr;
  std::string folder, model;
  RecordPlace place;
  RunRecord record;
  std::vector<RecordedOutput> outputs;
  Provenance provenance;
};

} // namespace lh

#endif // LH_CLI_RECORDING_H
