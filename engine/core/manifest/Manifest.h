// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a manifest, a bubble file and a target file say, as plain data.
#ifndef LH_CORE_MANIFEST_MANIFEST_H
#define LH_CORE_MANIFEST_MANIFEST_H

#include "core/manifest/KernelSpec.h"
#include "core/numerics/SparsePattern.h"
#include "core/support/Diagnostic.h"
#include "core/support/Rare.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lh {

/// A typed scalar (or list of integers) as a user writes it in YAML or JSON.
using Value =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

/// `${params.unroll}` = {Params, "unroll"}.
struct Reference {
  enum class Scope { Params, Let, Target, Case, Sweep };
  Scope scope = Scope::Params;
  std::string name;
  SourceSpan where;
};

/// What formulas compute with; `wordOf` has how it is written.
enum class Operator {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Negate,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Choose, ///< `condition ? then : else`
  Min,
  Max,
  CeilDiv
};

struct Expression;

/// A part of a formula (`let:`, `constraints:`): an operator and its operands,
/// which are of the right number and types.
struct Operation {
  Operator op = Operator::Add;
  std::vector<Expression> operands;
  SourceSpan where; ///< of the operator
};

/// A scalar that may hold references, or a formula. What is one reference or
/// one operation keeps its type; mixed text concatenates to a string.
struct Expression {
  using Piece = std::variant<Value, Reference, Operation>;
  std::vector<Piece> pieces;
  SourceSpan where;

  bool isLiteral() const {
    return pieces.size() == 1 && std::holds_alternative<Value>(pieces[0]);
  }
};

enum class ParameterType { Bool, Int, Float, String, Path };

/// One entry of `params:`. Without a default the user of the file must bind it.
struct ParameterDecl {
  Located<std::string> name;
  ParameterType type = ParameterType::Int;
  std::optional<Expression> defaultValue;
  std::optional<double> minimum, maximum;
  std::vector<Located<Value>> choices;
  std::vector<Located<Value>> tune; ///< what a search may try
  std::string doc;
};

/// One entry of `let:`: a value computed from parameters and from the computed
/// values above it, to which the formula refers by plain names.
struct LetDecl {
  Located<std::string> name;
  Expression value;
  std::string text; ///< the formula as written
};

/// One entry of `constraints:`: a formula that must hold, and why.
struct ConstraintDecl {
  Expression that;
  std::string text; ///< the formula as written
  std::string because;
};

/// One entry of a strategy's `numbers:`: what a choice may have under a name.
struct NumberDecl {
  Located<std::string> name;
  std::vector<Expression> values; ///< formulas
  std::vector<std::string> texts; ///< the same as written
};

/// One entry of `strategies:`: a way to compute an op that `lh.choice` may
/// name.
struct StrategyDecl {
  Located<std::string> name;
  std::string doc;
  Located<std::string> matches; ///< the sequence that fails where it can't
  std::vector<NumberDecl> numbers;
  /// Those that use a number are for choices, the others for the strategy.
  std::vector<ConstraintDecl> constraints;
};

/// The strategies of a bubble file, with the values that their formulas use.
struct StrategySpace;

enum class IngressKind { Onnx, Mlir, Command, Stablehlo };

/// `ingress:`: where a module comes from.
struct IngressDecl {
  IngressKind kind = IngressKind::Onnx;
  Expression model;
  /// `shapes: case` binds the model's dynamic dimensions to the shapes of the
  /// case's inputs; `declared` (the default) keeps them dynamic.
  bool shapesFromCase = false;
  /// The external tool's words, for `ingress: command`.
  std::vector<Expression> command;
};

/// `passes:`: an MLIR pass pipeline in mlir-opt's textual form.
struct PassesDecl {
  Expression pipeline;
};

/// `patterns:`: a file of rewrites, PDL patterns as MLIR text or PDLL, and
/// functions that take operations' places.
struct PatternsDecl {
  Located<std::string> file; ///< resolved against the declaring file
};

/// `schedule:`: a transform-dialect file; `entry` is one of its sequences.
struct ScheduleDecl {
  Located<std::string> file; ///< resolved against the declaring file
  Located<std::string> entry = {"__transform_main", {}};
  std::vector<Located<std::string>> libraries;
  /// The name of the kernel whose functions it calls; absent, or "none": none.
  std::optional<Expression> kernelName = {};
  Rare<KernelSpec> kernel = {}; ///< once resolved
  /// Those that it chooses between, once resolved; null: it chooses nothing.
  std::shared_ptr<const StrategySpace> strategies = {};
};

/// `use:`: a reusable bubble file, by relative path or as `lib:area/name`.
struct UseDecl {
  Located<std::string> path;
};

/// `command:`: an external tool that reads MLIR on standard input and writes
/// MLIR to standard output; runs only with --allow-exec.
struct CommandDecl {
  std::vector<Expression> words;
};

/// The output tile and the filter of a Winograd convolution F(tile, filter).
struct WinogradDecl {
  int64_t tile = 0, filter = 0;
};

/// `numerics:`: how far a bubble may move the numbers. What is absent is
/// strict; `mergeNumerics` joins those of a path.
struct NumericsDecl {
  std::optional<Located<WinogradDecl>> winograd;
  /// How many representable values a math function may be off.
  std::optional<Located<int64_t>> ulp;
  /// Sums and products are rearranged beyond the order of one reduction.
  std::optional<Located<bool>> reassociate;
  /// Operands of contractions are rounded to this type ("bfloat16",
  /// "float16", "tf32").
  std::optional<Located<std::string>> operands;
  /// Factors of contractions that are denormal are taken for zero. Targets say
  /// so, by their fact `contraction_flush_to_zero`; bubbles can't.
  std::optional<Located<bool>> flushesFactors;
};

/// `external:`: another compiler that takes the model in place of the module.
struct ExternalDecl {
  Located<std::string> tool; ///< a name, tools/NAME.yaml, or a path
};

/// A parsed tools/<name>.yaml: another compiler, which a program of its file
/// lets run a model (docs/tools.md).
struct ToolSpec {
  std::string name; ///< the file's stem
  std::string file;
  std::string doc;
  std::vector<Located<std::string>> version; ///< the program that prints it
  Located<std::string> least; ///< the earliest version that will do; empty: any
  std::string install;        ///< how to get it, for who lacks it
  std::vector<IngressKind> takes;          ///< the forms of models
  std::vector<Located<std::string>> serve; ///< the program that runs a model
  NumericsDecl numerics;
};

/// `execute:`: compile for the target and run this entry function.
struct ExecuteDecl {
  Located<std::string> entry;
  /// 0: run once, not timed. N > 0: run N times, timed, machine to itself.
  unsigned repeat = 0;
  /// Where the code is handed out as a library (`emit: shared-library`), once
  /// its results are judged right; without pieces: nowhere.
  Expression library = {};
  bool weightsBeside = false; ///< rather than in the library
  /// Who compiles and runs the model instead; once resolved.
  Rare<ToolSpec> tool = {};
};

enum class EmitFormat {
  Mlir,
  LlvmIr,
  Assembly,
  Object,
  SharedLibrary,
  Ptx,
  Cubin,
  Hsaco,
  SpirV,
  Zebin
};

/// `emit:`: write the module in this form to `path` and pass it through.
struct EmitDecl {
  EmitFormat format = EmitFormat::Mlir;
  Expression path;
  bool weightsBeside = false; ///< of a library: in a file of their own
};

using ActionDecl =
    std::variant<IngressDecl, PassesDecl, ScheduleDecl, PatternsDecl, UseDecl,
                 CommandDecl, ExternalDecl, ExecuteDecl, EmitDecl>;

/// A condition on one fact. Empty optionals don't take part.
struct FactCondition {
  Located<std::string> name; ///< of the fact
  std::optional<Value> equals;
  std::optional<double> minimum, maximum;
  std::vector<Value> any, all;
  std::vector<FactCondition> negated; ///< at most one
};

/// A file with LLVM FileCheck's directives that a module's text must satisfy.
struct CheckFile {
  std::string file;
  std::string prefix = "CHECK";
  SourceSpan where; ///< of the file's name in the manifest
};

/// `expect: {matched: ">=1"}`: how many operations a bubble's matches find, all
/// together. What is absent is no bound.
struct MatchedDecl {
  std::optional<int64_t> least, most;
  SourceSpan where;
};

/// `expect:`: what the module must look like after a bubble.
struct ExpectDecl {
  std::optional<Expression> file;
  std::string prefix = "CHECK";
  std::optional<MatchedDecl> matched;
};

/// `expect: {fail: ...}` of a bubble or a case: what is known not to work yet.
struct FailDecl {
  Located<std::string> reason;
  Located<std::string> until; ///< a date or a version; empty: no end
  std::vector<Located<std::string>> targets, pipelines; ///< empty: all
  std::string bubble; ///< of a resolved bubble's: the name it was given under
};

/// The contract vocabulary (design, "Contracts"), as written.
struct FormDecl {
  std::optional<std::vector<std::string>> dialectsOnly;
  std::vector<std::string> dialectsNone, dialectsSome;
  std::vector<std::string> opsNone, opsSome;
  std::vector<std::string> typesNone, typesSome;
  std::optional<std::string> shapes; ///< "static" or "any"
  /// Elements of the largest vector of fixed length, at most.
  std::optional<int64_t> largestVector;
  /// "outside-loops": no stack memory is taken in a loop. "any".
  std::optional<std::string> allocas;
  /// What functions take and return: "tensors", "memrefs", "pointers".
  std::optional<std::string> boundary;
  std::optional<CheckFile> checkFile;
  SourceSpan where;
};

/// `with:`: parameters and what they are bound to.
using Bindings = std::vector<std::pair<Located<std::string>, Expression>>;

/// A node of the graph.
struct BubbleDecl {
  Located<std::string> name;
  ActionDecl action;
  Bindings with;
  std::vector<FactCondition> when; ///< ANDed
  std::optional<FormDecl> requires_, ensures;
  std::vector<Located<std::string>> preserves;
  std::optional<ExpectDecl> expect;
  std::optional<FailDecl> fails;
  /// Why it may find nothing and change nothing; empty: that is a mistake.
  std::string optional;
  NumericsDecl numerics;
  std::string doc;
};

struct EdgeDecl {
  Located<std::string> from, to;
};

struct PipelineDecl {
  Located<std::string> name;
  std::vector<Located<std::string>> path;
  std::string color;
};

/// `golden: DIR`: model or payload, inputs, expected outputs, provenance.
struct GoldenCase {
  Expression directory;
};
/// `onnx-test: DIR-or-glob`: folders with model.onnx and test_data_set_*.
struct OnnxTestCase {
  Expression pattern;
};
/// `stablehlo-test: FILE-or-glob`: programs that hold their own inputs and
/// expected outputs, as StableHLO's suite does.
struct StablehloTestCase {
  Expression pattern;
};
/// The data sets that a generated case runs on.
enum class InputSet {
  Drawn,   ///< as the case declares
  Exact,   ///< integers with which no operation rounds
  Ordered, ///< sums that only their own order gives exactly
  Specials ///< NaN, infinities, denormals and others among normal numbers
};

/// `range:`: the lowest and the highest element.
struct ElementRange {
  double low = -1.0, high = 1.0;
};

/// One input of a generated case. `dist` is one of distributionWords().
struct GeneratedInput {
  Located<std::string> name;
  std::vector<int64_t> shape;
  std::string dtype; ///< empty: the entry's own
  std::string dist = "normal";
  std::optional<ElementRange> range = {};
  std::optional<PatternOptions> sparse = {};
};
struct GenerateCase {
  Expression model;
  uint64_t seed = 0;
  std::vector<GeneratedInput> inputs; ///< none: the entry's static signature
  std::vector<InputSet> sets;         ///< none: what `verify:` can judge
  /// How often each set is drawn; none: what suits `verify:` and the model.
  std::optional<unsigned> draws;
  /// Sizes of open dimensions that no input gives: of the first dimension, of
  /// the second, ...; the last is for all that follow. None: they must be
  /// given.
  std::vector<int64_t> open = {};
};

/// Bounds a comparison allows; what is absent is resolved from the next level
/// (command line > case > target+dtype > target > dtype > built in).
struct ToleranceDecl {
  std::optional<double> atol, rtol;
  std::optional<int64_t> ulp;
  SourceSpan where = {}; ///< unknown when nothing is said

  bool saysAnything() const { return atol || rtol || ulp; }
};

struct CaseDecl {
  Located<std::string> name;
  std::string doc;
  std::variant<GoldenCase, OnnxTestCase, GenerateCase, StablehloTestCase>
      source;
  ToleranceDecl tolerance;
  std::optional<FailDecl> fails;
};

/// Proof is Bound with the worst that sums may do in place of the likely.
enum class OracleMode { Auto, Exact, Bound, Ratio, Tolerance, Proof };

/// `verify:`: what each pipeline's outputs are compared with.
struct VerifyDecl {
  /// "golden", "oracle", or the name of a pipeline; nothing for `verify: none`,
  /// which lets results stay unverified.
  std::vector<Located<std::string>> against;
  std::vector<Located<std::string>> except; ///< outputs not to be compared
  /// Absent: auto, or tolerance where one is given by hand.
  std::optional<Located<OracleMode>> mode;
  ToleranceDecl tolerance;
  std::map<std::string, ToleranceDecl> perDtype; ///< by ONNX-style dtype name
  /// `labels: {at_least: ...}`: the share of a golden's labelled rows that must
  /// be classified rightly. Absent: what its own outputs reach.
  std::optional<Located<double>> labelsAtLeast;
  SourceSpan where;
};

/// A product or a convolution, as far as it decides how it is best computed.
struct ProductKey {
  std::string loops;          ///< their roles, as `lh.match.product` has them
  std::vector<int64_t> sizes; ///< by loop; -1: unknown
  std::vector<std::string> types; ///< of A, B and C
  bool fromWeights = false;       ///< B is computed from weights and constants
  /// Of a convolution: strides, then dilations. Of matrices: none.
  std::vector<int64_t> steps;

  bool operator==(const ProductKey &) const = default;
};

/// A pipeline of a manifest on one of its cases.
struct TunedPath {
  std::string pipeline, caseName;

  bool operator==(const TunedPath &) const = default;
};

/// How many times as fast as without the entry: the median and its bounds.
struct TunedGain {
  double median = 1, low = 1, high = 1;
};

/// What an entry was measured by.
struct TunedEvidence {
  std::string cpu;
  int64_t cacheBytes = 0; ///< of the second-level cache
  std::string lhRun, llvm;
  int64_t trials = 0;
  std::string date;
};

/// One entry of `tuned:` in a tuned file.
struct TunedEntry {
  std::variant<ProductKey, TunedPath> about;
  /// Of a product: "strategy" and its numbers. Of a path: "BUBBLE.NAME" of
  /// parameters and knobs.
  std::map<std::string, Value> use;
  std::optional<TunedGain> gain; ///< none: nobody says
  TunedEvidence seen;
  SourceSpan where;
};

/// A parsed tuned/<name>.yaml: choices that measurement made, for one target.
struct TunedSpec {
  std::string file;
  std::string target;
  std::vector<TunedEntry> entries;
};

/// A parsed manifest. Paths in it are still as written; `file` says what they
/// are relative to.
struct Manifest {
  std::string file;
  Located<std::string> name;
  std::string summary;
  std::vector<ParameterDecl> params;
  std::vector<Located<std::string>> targets;
  std::vector<Located<std::string>> dialects; ///< files
  std::vector<BubbleDecl> bubbles;
  std::vector<EdgeDecl> edges;
  std::vector<PipelineDecl> pipelines;
  std::vector<CaseDecl> cases;
  std::optional<VerifyDecl> verify;
  std::vector<Located<std::string>> tuned; ///< files
};

/// A reusable bubble (`use:`): one action, or a nested chain of bubbles.
struct BubbleFile {
  std::string file;
  std::vector<ParameterDecl> params;
  std::vector<LetDecl> lets;
  std::vector<ConstraintDecl> constraints;
  std::vector<StrategyDecl> strategies; ///< of a schedule
  /// Passes, a schedule or patterns; empty: nested.
  std::optional<ActionDecl> action;
  /// What a schedule's parameters are bound to; absent: the file's own.
  std::optional<Bindings> with;
  std::vector<BubbleDecl> bubbles;
  std::vector<EdgeDecl> edges;
  std::optional<FormDecl> requires_, ensures;
  std::vector<Located<std::string>> preserves;
  std::string optional; ///< as a bubble's; of all bubbles in it
  NumericsDecl numerics;
  std::string doc;
};

/// How executables of a target run on a machine.
struct TargetRunDecl {
  std::string nativeOn; ///< host architecture (`uname -m`) it runs on
  std::vector<Expression> emulator;
  /// Of external targets: the program that calls what `compile` made.
  std::vector<Expression> command = {};
  std::map<std::string, std::vector<Value>> sweep;
  /// CPU features that the runner stands in for where this machine lacks them.
  std::vector<std::string> emulates = {};
  /// How long its vectors must be in bytes, at a point of the sweep.
  std::optional<Expression> vectorBytes = {};
  /// Packages, each with a program or (by its path) a file that it brings.
  std::map<std::string, std::string> needs = {};
};

/// A parsed targets/<name>.yaml. `cpu: host` asks the backend to detect it.
struct TargetSpec {
  std::string name; ///< the file's stem
  std::string file;
  std::vector<std::string> bases; ///< files that it extends, nearest first
  std::string doc;
  std::string backend; ///< "cpu", "cuda", "rocm", "xe", "vulkan", "external"
  std::string triple, cpu;
  std::vector<std::string> features;
  std::map<std::string, Located<Value>> facts;
  /// Of external targets: the program that makes code of a module.
  std::vector<Expression> compile = {};
  TargetRunDecl run;
  std::map<std::string, ToleranceDecl> perDtype;
  ToleranceDecl tolerance;
  std::vector<std::string> labels;
};

/// A file of facts that targets have by default.
struct DefaultFacts {
  std::map<std::string, Located<Value>> facts;
  std::map<std::string, std::string> meanings;
};

} // namespace lh

#endif // LH_CORE_MANIFEST_MANIFEST_H
