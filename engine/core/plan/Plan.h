// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What will run: a prefix tree of steps with every value bound.
#ifndef LH_CORE_PLAN_PLAN_H
#define LH_CORE_PLAN_PLAN_H

#include "core/manifest/Manifest.h"
#include "core/support/Rare.h"

namespace lh {

using StepId = size_t;

/// The shapes of a sequence's elements, or of what an optional holds.
struct ListShape {
  std::vector<std::vector<int64_t>> elements;
  bool hasValue = false; ///< false for an optional without one
};

/// The shape and type one input is given, by position and by name.
struct InputShape {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  /// In place of `shape`: of a sequence or an optional.
  std::optional<ListShape> list = {};
  /// Of few integers or bools, where a list's length may depend on them.
  std::vector<int64_t> values = {};
};

/// Read a model, or what `command` prints or, where the kind is one of files,
/// writes to the file that stands for `{output}`. `bindShapes`, when given,
/// fixes the model's dynamic dimensions to these shapes (`shapes: case`).
struct ImportAction {
  IngressKind kind = IngressKind::Onnx;
  std::string path;
  std::vector<std::string> command;
  std::optional<std::vector<InputShape>> bindShapes;
};

/// Run an MLIR pass pipeline; `where` is the scalar that holds it.
struct PassesAction {
  std::string pipeline;
  SourceSpan where;
};

/// Rewrite by the patterns of a file.
struct PatternsAction {
  std::string file;
  SourceSpan where;

  /// An external program makes MLIR text of it.
  bool isPdll() const { return StringRef(file).ends_with(".pdll"); }
};

struct BoundParameter {
  Located<std::string> name;
  Value value;
};

/// Apply one named sequence of a transform schedule.
struct ScheduleAction {
  std::string file, entry;
  std::vector<std::string> libraries;
  std::vector<BoundParameter> parameters;
  SourceSpan where;
  /// Whose functions it calls, and what their bodies are compiled for; neither
  /// or both are there.
  Rare<KernelSpec> kernel = {};
  Rare<TargetSpec> kernelTarget = {};
  /// Those that it chooses between, and the text of `@tuned`, which it
  /// includes: what measurement has chosen. Null, and empty, for all others.
  std::shared_ptr<const StrategySpace> strategies = {};
  std::string tuned = {};
  /// The target's, for what strategies depend on.
  std::shared_ptr<const std::map<std::string, Value>> facts = {};
};

/// Pipe the module through an external tool.
struct CommandAction {
  std::vector<std::string> words;
};

/// A library that programs use without lh-run.
struct LibraryFile {
  std::string path; ///< `.so` or `.a`; the header and the rest lie beside it
  bool weightsBeside = false; ///< in a file of their own
};

/// Another compiler, which is given a model's file in place of the module.
struct ToolUse {
  Rare<ToolSpec> tool; ///< always there
  std::string version; ///< as it says itself; empty: it wasn't asked
  std::string model;   ///< the file
  unsigned threads = 1;
};

/// "onnxruntime 1.20.1"; the name alone where the version isn't known.
std::string labelOf(const ToolUse &use);

/// Translate to the target's machine code and load it; prepares weights.
struct CompileAction {
  Rare<TargetSpec> target; ///< always there
  std::string entry;
  SourceSpan where;
  /// Its code is built once more, with counters (countArithmetic()).
  bool countsArithmetic = false;
  /// What the code becomes a part of: its runs go through that.
  std::optional<LibraryFile> library = {};
  /// Who does it instead; then the target says nothing.
  Rare<ToolUse> tool = {};
};

/// An expected output that takes another's place for some results.
struct ExpectedOverride {
  std::string target, dtype; ///< of the results it is for; empty: any
  std::string name, path;
};

/// An input that is a sequence or an optional: its elements are the next
/// `count` files.
struct InputList {
  size_t first = 0, count = 0;
  bool hasValue = false; ///< false for an optional without one
};

/// One data set of a case: inputs to feed, outputs to expect.
struct DataSet {
  /// "" when the case has only one, and for what a generated one declares.
  std::string name;
  InputSet set = InputSet::Drawn; ///< of generated inputs
  /// How many draws of the set come before; `generate`'s seed counts it in.
  unsigned draw = 0;
  /// Tensor files by input position (.npy or .pb); a name, when known.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<InputList> lists; ///< by `first`, an index of `inputs`
  /// Whether its inputs of few integers may decide what is imported: the
  /// lengths of lists depend on such.
  bool fixesNumbers = false;
  std::vector<std::pair<std::string, std::string>> expected;
  /// In place of `expected`, by its names; the most specific first.
  std::vector<ExpectedOverride> overrides;
  /// Generated inputs instead of files; `seed` makes them repeatable.
  std::optional<GenerateCase> generate;
  std::string labels; ///< class per row of the first output; may be empty

  /// The case's own inputs: other sets and draws only check numbers.
  bool isTheCases() const { return set == InputSet::Drawn && draw == 0; }
};

/// Run the loaded code once per `repeat` on a data set; outputs are written
/// to files that the RunRecord names.
struct RunAction {
  std::string entry;
  DataSet data;
  unsigned repeat = 0;
  std::map<std::string, Value> sweepPoint;
  /// Also runs what its compile step built with counters.
  bool countsArithmetic = false;
};

struct EmitAction {
  EmitFormat format = EmitFormat::Mlir;
  std::string path;
  Rare<TargetSpec> target; ///< for the formats that need one
};

using StepAction =
    std::variant<ImportAction, PassesAction, ScheduleAction, PatternsAction,
                 CommandAction, CompileAction, RunAction, EmitAction>;

/// One step of the tree. Steps whose bound action and ancestors are equal are
/// one step.
struct Step {
  StepId id = 0;
  std::string bubble; ///< 'tile', 'vectorize/inner'; "oracle/..." for ours
  SourceSpan declaredAt;
  StepAction action;
  std::optional<StepId> parent; ///< none: a root
  std::vector<StepId> children;
  Rare<FormDecl> requires_, ensures;
  std::vector<std::string> preserves; ///< facts of docs/manifest.md
  std::vector<CheckFile> expect;
  std::vector<MatchedDecl> expectMatched;
  std::string optional; ///< why it may change nothing; empty: it must
  /// Gaps (passes and transform operations) that do nothing in it, by name.
  std::vector<std::string> leavesOut = {};

  /// Of `expect` and of both contracts.
  std::vector<CheckFile> checkFiles() const;
};

/// Whether it is of a reference that the engine makes, not of what is tested.
bool isReference(const Step &step);

/// The design's result key: case x data set x target x sweep x pipeline.
/// (`output` is added per compared tensor.)
struct ResultKey {
  std::string caseName, dataSet, target, sweep, pipeline;
};

/// A failure that the manifest announces for a result.
struct ExpectedFailure {
  std::string bubble; ///< whose step fails; empty: whatever fails
  std::string reason;
  std::string expired; ///< why it doesn't hold any more; empty: it does
  SourceSpan where;
};

/// What one leaf of the tree is for.
struct PlannedResult {
  ResultKey key;
  StepId leaf = 0;
  /// Set when the path doesn't run: `when:` is false here.
  std::string notApplicable;
  /// Its data are not the first draw of their set.
  bool isFurtherDraw = false;
  /// Set when the target can't run here, or the case's data isn't here;
  /// reported as skipped.
  std::string skipped;
  std::vector<ExpectedFailure> expectedFailures;
};

/// A bound that a comparison allows, and who says so.
template <typename T> struct MergedBound {
  T value;
  std::string from; ///< "verify", "case 'odd'", "target 'host'", ...
  SourceSpan where; ///< unknown for the command line
};

/// All levels of tolerance in one; what none gives is the comparator's own.
struct MergedTolerance {
  std::optional<MergedBound<double>> atol, rtol;
  std::optional<MergedBound<int64_t>> ulp;
};

/// What to compare after the run: one result's outputs with a reference.
struct PlannedComparison {
  size_t result = 0;   ///< index into Plan::results
  std::string against; ///< "golden", "oracle" or a pipeline's name
  /// The leaf whose outputs are the reference; none: the data set's files.
  std::optional<StepId> referenceLeaf;
  /// The leaf of the plain lowering, whose error `ratio` measures by.
  std::optional<StepId> plainLeaf;
  /// How to decide; other references than the oracle have a tolerance only.
  OracleMode mode = OracleMode::Tolerance;
  SourceSpan modeFrom;   ///< where the manifest says so, if it does
  NumericsDecl numerics; ///< what the bubbles of the path declare, merged
  MergedTolerance tolerance;
  std::map<std::string, MergedTolerance> perDtype;

  /// The leaves that must have run besides the tested one.
  std::vector<StepId> referenceLeaves() const;
};

struct Plan {
  std::string manifest; ///< name
  std::string file;
  std::vector<std::string> dialects; ///< files of IRDL, which steps may need
  std::vector<Step> steps;           ///< parents before children
  std::vector<StepId> roots;
  std::vector<PlannedResult> results;
  std::vector<PlannedComparison> comparisons;
  /// What the manifest says of them; none: it has no `verify:`.
  std::optional<VerifyDecl> verify;

  /// The steps from the root to `leaf`.
  std::vector<StepId> pathTo(StepId leaf) const;
};

} // namespace lh

#endif // LH_CORE_PLAN_PLAN_H
