// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of bubbles and bubble files.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

// Parameters.
constexpr ValueSpec parameterType = oneOf(wordsOf<ParameterType>);
constexpr KeySpec parameterKeys[] = {
    {"type", parameterType, field<&ParameterDecl::type>,
     "What values it takes.", "int", required},
    {"default", expression, field<&ParameterDecl::defaultValue>,
     "Its value when none is given; in a bubble file it may be a target's "
     "fact. Without a default a value must be given.",
     "4", optional, "A manifest's default may refer to other parameters."},
    {"min", number, field<&ParameterDecl::minimum>,
     "The smallest value allowed.", "1"},
    {"max", number, field<&ParameterDecl::maximum>,
     "The largest value allowed.", "16"},
    {"choices", scalars, field<&ParameterDecl::choices>,
     "The only values allowed.", "[4, 8, 16]"},
    {"tune", scalars, field<&ParameterDecl::tune>,
     "The values that `lh-run tune` tries.", "[2, 4, 8]"},
    {"doc", text, field<&ParameterDecl::doc>, "What it is for.",
     "how often it is unrolled"},
};
constexpr MappingSpec parameterMapping{"parameter", parameterKeys};
constexpr ValueSpec parameter = keysOf(parameterMapping);
constexpr ValueSpec parameters = mapOf(parameter);

// Conditions on facts; `not:` holds another condition.
extern const MappingSpec conditionMapping;
constexpr ValueSpec conditionTable{.form = Form::Mapping,
                                   .mapping = &conditionMapping,
                                   .alternative = &integers};
constexpr ValueSpec condition{.form = Form::Scalar,
                              .alternative = &conditionTable};
constexpr KeySpec conditionKeys[] = {
    {"min", number, field<&FactCondition::minimum>,
     "The fact is at least this.", "256"},
    {"max", number, field<&FactCondition::maximum>, "The fact is at most this.",
     "512"},
    {"any", scalars, field<&FactCondition::any>,
     "The fact is, or contains, one of these.", "[128, 256]"},
    {"all", scalars, field<&FactCondition::all>,
     "The fact contains all of these.", "[16, 32]"},
    {"not", condition, field<&FactCondition::negated>, "This does not hold.",
     "{min: 1024}"},
};
const MappingSpec conditionMapping{
    "condition", conditionKeys, noChoice,
    "A plain value instead of these keys is what the fact must equal; of a "
    "fact that is a list, what it must contain. All keys must hold. A fact "
    "that a target lacks is an error."};
constexpr ValueSpec conditions = mapOf(condition);

// Contracts.
constexpr StringRef typeNames[] = {"tensor", "memref", "vector",
                                   "scalable-vector"};
constexpr ValueSpec typeName = oneOf(typeNames);
constexpr ValueSpec typeList = listOf(typeName);
constexpr StringRef shapeWords[] = {"static", "any"};
constexpr ValueSpec shapeWord = oneOf(shapeWords);
constexpr KeySpec dialectsKeys[] = {
    {"only", texts, field<&FormDecl::dialectsOnly>,
     "No dialect but these (and builtin).", "[func, linalg, tensor, arith]",
     optional, "Without an entry: `builtin` alone."},
    {"none", texts, field<&FormDecl::dialectsNone>, "None of these dialects.",
     "[linalg]"},
    {"some", texts, field<&FormDecl::dialectsSome>,
     "An op of each of these dialects.", "[scf]"},
};
constexpr MappingSpec dialectsMapping{"dialects", dialectsKeys};
constexpr ValueSpec dialects = keysOf(dialectsMapping);
constexpr KeySpec opsKeys[] = {
    {"none", texts, field<&FormDecl::opsNone>, "None of these ops.",
     "[linalg.matmul]"},
    {"some", texts, field<&FormDecl::opsSome>,
     "At least one of each of these ops.", "[vector.contract]"},
};
constexpr MappingSpec opsMapping{"ops", opsKeys};
constexpr ValueSpec ops = keysOf(opsMapping);
constexpr KeySpec typesKeys[] = {
    {"none", typeList, field<&FormDecl::typesNone>, "No value of these types.",
     "[memref]"},
    {"some", typeList, field<&FormDecl::typesSome>,
     "A value of each of these types.", "[vector]"},
};
constexpr MappingSpec typesMapping{"types", typesKeys};
constexpr ValueSpec types = keysOf(typesMapping);
constexpr KeySpec vectorsKeys[] = {
    {"max", count, field<&FormDecl::largestVector>,
     "Elements of the largest vector of fixed length, at most.", "128",
     required},
};
constexpr MappingSpec vectorsMapping{"vectors", vectorsKeys};
constexpr ValueSpec vectors = keysOf(vectorsMapping);
constexpr StringRef allocasWords[] = {"outside-loops", "any"};
constexpr ValueSpec allocasWord = oneOf(allocasWords);
constexpr StringRef boundaryWords[] = {"tensors", "memrefs", "pointers"};
constexpr ValueSpec boundaryWord = oneOf(boundaryWords);
constexpr KeySpec formKeys[] = {
    {"dialects", dialects, sameOwner, "Which dialects the module holds.",
     "{none: [linalg]}"},
    {"ops", ops, sameOwner, "Which ops the module holds.",
     "{some: [vector.contract]}"},
    {"types", types, sameOwner, "Which types its values have.",
     "{none: [memref]}"},
    {"shapes", shapeWord, field<&FormDecl::shapes>,
     "Whether all shapes are static.", "static"},
    {"vectors", vectors, sameOwner, "How large its vectors are.", "{max: 128}"},
    {"allocas", allocasWord, field<&FormDecl::allocas>,
     "Whether stack memory is taken outside of loops alone.", "outside-loops",
     optional, "What `memref.alloca_scope` encloses in a loop is allowed."},
    {"boundary", boundaryWord, field<&FormDecl::boundary>,
     "What its public functions take and return, besides scalars.", "memrefs"},
    {"filecheck", text, field<&FormDecl::checkFile>,
     "A file with FileCheck directives, 'CHECK:', that the module satisfies.",
     "tile.check", optional,
     "Of any payload; what one payload must look like is said by `expect`."},
};
constexpr MappingSpec formMapping{
    "contract", formKeys, noChoice,
    "A contract. Before anything runs, each path is followed: a bubble sets "
    "what it ensures, keeps what it preserves and leaves all else unknown, "
    "and what certainly does not fit is an error (graph-contract-misfit). "
    "In a run, the module is checked before and after the bubble "
    "(ir-broken-contract). Modules for GPUs (`gpu.module`) are left out "
    "unless a key names `gpu`, `nvvm` or `rocdl`."};
constexpr ValueSpec form = keysOf(formMapping);
constexpr StringRef preservedWords[] = {
    "dialects", "ops", "types", "shapes", "vectors", "allocas", "boundary"};
constexpr ValueSpec preservedWord = oneOf(preservedWords);
constexpr ValueSpec preserved = listOf(preservedWord);

// Expectations.
constexpr StringRef failDoc = "Why it is known to fail.";
constexpr StringRef untilDoc =
    "The last day on which that is expected, or the version that ends it.";
constexpr StringRef failTargetsDoc = "On these targets alone.";
constexpr StringRef failPipelinesDoc = "In these pipelines alone.";
constexpr KeySpec expectKeys[] = {
    {"filecheck", expression, field<&BubbleDecl::expect, &ExpectDecl::file>,
     "A file with FileCheck directives for the module after the bubble.",
     "\"${case.model}\"", optional,
     "It may be the payload, with directives in its comments."},
    {"prefix", text, field<&BubbleDecl::expect, &ExpectDecl::prefix>,
     "What its directives begin with, if not CHECK.", "AVX512",
     needs("filecheck")},
    {"matched", scalar, field<&BubbleDecl::expect, &ExpectDecl::matched>,
     "How many operations the matches of the bubble's schedule find.",
     "\">=1\"", optional,
     "`\">=1\"`, `\"<=4\"` or `2`; the sum over `structured.match`, "
     "`collect_matching` and `foreach_match` in all their runs, of a chain "
     "that of its last schedule."},
    {"fail", text, field<&BubbleDecl::fails, &FailDecl::reason>, failDoc,
     "no masks for gathers", optional,
     "A result that ends so is shown as an expected failure, and does not "
     "fail the run. When none of them fails any more, the run fails until "
     "the expectation is removed."},
    {"until", text, field<&BubbleDecl::fails, &FailDecl::until>, untilDoc,
     "LLVM 23", needs("fail"),
     "A day, `2027-06-30`, or a version of LLVM or lh-run."},
    {"targets", someTexts, field<&BubbleDecl::fails, &FailDecl::targets>,
     failTargetsDoc, "[aarch64-sve]", needs("fail")},
    {"pipelines", someTexts, field<&BubbleDecl::fails, &FailDecl::pipelines>,
     failPipelinesDoc, "[optimized]", needs("fail")},
};
constexpr ChoiceSpec expectChoices[] = {
    {"filecheck"}, {"fail"}, {"matched", "filecheck"}};
constexpr MappingSpec expectMapping{"expect", expectKeys, expectChoices};
constexpr KeySpec expectOfCaseKeys[] = {
    {"fail", text, field<&CaseDecl::fails, &FailDecl::reason>, failDoc,
     "no masks for gathers", required},
    {"until", text, field<&CaseDecl::fails, &FailDecl::until>, untilDoc,
     "2027-06-30", optional, "As a bubble's."},
    {"targets", someTexts, field<&CaseDecl::fails, &FailDecl::targets>,
     failTargetsDoc, "[aarch64-sve]"},
    {"pipelines", someTexts, field<&CaseDecl::fails, &FailDecl::pipelines>,
     failPipelinesDoc, "[optimized]"},
};
constexpr MappingSpec expectOfCaseMapping{"expect", expectOfCaseKeys};
constexpr ValueSpec expectOfCase = keysOf(expectOfCaseMapping);
constexpr ValueSpec expect = keysOf(expectMapping);

// Numerics.
constexpr ValueSpec boolean{.form = Form::Boolean};
constexpr ValueSpec winogradSize{
    .form = Form::Integer, .minimum = 1, .maximum = 8};
constexpr ValueSpec winograd = listOf(winogradSize);
constexpr ValueSpec mathUlp{
    .form = Form::Integer, .minimum = 1, .maximum = 1024};
constexpr StringRef operandTypes[] = {"bfloat16", "float16", "tf32",
                                      "tf32-truncated"};
constexpr ValueSpec operandType = oneOf(operandTypes);
constexpr KeySpec numericsKeys[] = {
    {"winograd", winograd, field<&NumericsDecl::winograd>,
     "Convolutions by Winograd's algorithm: output tile and filter size.",
     "[4, 3]"},
    {"ulp", mathUlp, field<&NumericsDecl::ulp>,
     "Math functions are within this many representable values.", "4"},
    {"reassociate", boolean, field<&NumericsDecl::reassociate>,
     "Sums and products are rearranged, across ops too.", "true"},
    {"operands", operandType, field<&NumericsDecl::operands>,
     "The type that operands of contractions are rounded to.", "bfloat16"},
};
constexpr MappingSpec numericsMapping{
    "numerics", numericsKeys, noChoice,
    "How far results may differ from the exact ones because of what a "
    "bubble does. The oracle's bounds allow that and no more. Declarations "
    "of a bubble, of the file that it uses and of all bubbles on a path are "
    "merged: of each key the larger allowance holds."};
constexpr ValueSpec numerics = keysOf(numericsMapping);

// Bubbles.
constexpr ValueSpec ingressKind = oneOf(wordsOf<IngressKind>);
constexpr StringRef ingressShapes[] = {"declared", "case"};
constexpr ValueSpec ingressShape = oneOf(ingressShapes);
constexpr ValueSpec emitFormat = oneOf(wordsOf<EmitFormat>);
constexpr KeySpec executeKeys[] = {
    {"entry", text, field<&ExecuteDecl::entry>, "The function to run.", "main",
     required},
    {"repeat", count, field<&ExecuteDecl::repeat>,
     "How often it is run for timing; 0 runs it once, untimed.", "10", optional,
     "On a simulated device: so many other orders of threads, untimed. A "
     "plain name instead of these keys is the entry."},
};
constexpr MappingSpec executeMapping{"execute", executeKeys};
constexpr ValueSpec executeTable = keysOf(executeMapping);
constexpr ValueSpec execute{.form = Form::Text, .alternative = &executeTable};

constexpr StringRef scheduleDoc =
    "A transform-dialect file to apply to the module.";
constexpr StringRef entryDoc =
    "The named sequence of the schedule to run; '__transform_main' if absent.";
constexpr StringRef libraryDoc =
    "Files whose named sequences the schedule may include.";
constexpr StringRef kernelDoc =
    "The kernel whose functions the schedule calls: a name, "
    "kernels/NAME.yaml, or a path; 'none' for no kernel.";
constexpr StringRef kernelMore =
    "Looked for in `kernels/` beside the file that gives the name and beside "
    "its folder, then in the libraries. It must not depend on the target.";
constexpr StringRef passesDoc =
    "An MLIR pass pipeline, as mlir-opt's --pass-pipeline takes it.";
constexpr StringRef patternsDoc =
    "A file of rewrites that are applied until none fits: PDL patterns, and "
    "functions for them to call.";
constexpr StringRef patternsMore =
    "MLIR text, or PDLL (`.pdll`), which `mlir-pdll` translates; that needs "
    "--allow-exec. Nothing but the patterns changes the module.";
constexpr StringRef requiresDoc = "The form of the module before the bubble.";
constexpr StringRef ensuresDoc = "The form of the module after the bubble.";
constexpr StringRef preservesDoc =
    "Which facts of the form the bubble keeps: there, nothing new comes up.";
constexpr StringRef optionalDoc =
    "Why the bubble may find nothing to do; --strict asks for it.";
constexpr StringRef optionalExample = "the model may have no attention";
constexpr StringRef numericsDoc =
    "How far the bubble may move the numbers; absent: strict.";

constexpr KeySpec bubbleKeys[] = {
    {"ingress", ingressKind, field<&BubbleDecl::action, &IngressDecl::kind>,
     "Where the module comes from.", "onnx"},
    {"passes", expression, field<&BubbleDecl::action, &PassesDecl::pipeline>,
     passesDoc, "\"canonicalize,cse\""},
    {"schedule", text, field<&BubbleDecl::action, &ScheduleDecl::file>,
     scheduleDoc, "../schedules/tile.mlir"},
    {"patterns", text, field<&BubbleDecl::action, &PatternsDecl::file>,
     patternsDoc, "lower-toy.mlir", optional, patternsMore},
    {"use", text, field<&BubbleDecl::action, &UseDecl::path>,
     "A reusable bubble file: a path or lib:area/name.", "lib:cpu/vectorize",
     optional, "`lib:` is the installed library, or that of `--library`."},
    {"command", someExpressions, commandField,
     "An external tool that reads MLIR and writes MLIR; needs --allow-exec.",
     "[my-opt, --my-pass, \"-\"]", optional,
     "Beside `ingress: command`: the tool that makes the module."},
    {"external", text, field<&BubbleDecl::action, &ExternalDecl::tool>,
     "Another compiler that runs the model: a name, tools/NAME.yaml, or a "
     "path; needs --allow-exec.",
     "onnxruntime", optional,
     "It follows the ingress, and nothing follows it "
     "([tools.md](../tools.md)). "
     "Looked for in `tools/` beside the file that gives the name and beside "
     "its "
     "folder, then in the libraries."},
    {"execute", execute, field<&BubbleDecl::action, as<ExecuteDecl>>,
     "Compile for the target and run this function.", "main", optional,
     "Nothing follows it."},
    {"emit", emitFormat, field<&BubbleDecl::action, &EmitDecl::format>,
     "Write the module in this form.", "llvm-ir", optional,
     "The module is passed on. For GPUs, all but `mlir` and `object` hold "
     "the kernels. `mlir` to a file called `.mlirbc` is bytecode. "
     "`shared-library` ends a pipeline as `execute` does: the library is run, "
     "and written if its results are right ([deploy.md](../deploy.md))."},
    {"model", expression, field<&BubbleDecl::action, &IngressDecl::model>,
     "The model file to read.", "\"${case.model}\"", needs("ingress")},
    {"exporter", someExpressions, exporterField,
     "In place of a model: the tool that writes it, to the file `{output}`; "
     "needs --allow-exec.",
     "[python3, \"{here}/export.py\", \"{output}\"]", needs("ingress"),
     "`{here}` is the folder of the manifest."},
    {"shapes", ingressShape,
     field<&BubbleDecl::action, &IngressDecl::shapesFromCase>,
     "Keep dynamic dimensions ('declared'), or fix them to the case's inputs.",
     "case", needs("ingress")},
    {"entry", text, field<&BubbleDecl::action, &ScheduleDecl::entry>, entryDoc,
     "tile", needs("schedule")},
    {"library", someTexts, field<&BubbleDecl::action, &ScheduleDecl::libraries>,
     libraryDoc, "[common.mlir]", needs("schedule")},
    {"kernel", expression,
     field<&BubbleDecl::action, &ScheduleDecl::kernelName>, kernelDoc,
     "portable-f32", needs("schedule"), kernelMore},
    {"path", expression, field<&BubbleDecl::action, &EmitDecl::path>,
     "The file to write: a relative path without '..', below the folder of "
     "--out or else the working folder; '-' is standard output.",
     "out/model.ll", needs("emit")},
    {"weights_file", boolean,
     field<&BubbleDecl::action, &EmitDecl::weightsBeside>,
     "Of a library: its weights lie in a file beside it, not in it.", "true",
     needs("emit")},
    {"with", bindings, field<&BubbleDecl::with>,
     "Values for the parameters of the schedule or the used bubble.",
     "{k_unroll: \"${params.unroll}\"}", optional,
     "A value that is one reference keeps its type."},
    {"when", conditions, field<&BubbleDecl::when>,
     "The targets that the bubble is for, by their facts.",
     "{vector_bits: {min: 256}}", optional,
     "A path through a bubble whose condition does not hold is not "
     "applicable there."},
    {"requires", form, field<&BubbleDecl::requires_>, requiresDoc,
     "{types: {none: [memref]}}"},
    {"ensures", form, field<&BubbleDecl::ensures>, ensuresDoc,
     "{dialects: {none: [linalg]}}"},
    {"preserves", preserved, field<&BubbleDecl::preserves>, preservesDoc,
     "[boundary]", optional,
     "In a chain: each bubble without a `preserves` of its own."},
    {"expect", expect, sameOwner,
     "What the module must look like after the bubble, or that it fails.",
     "{filecheck: \"${case.model}\"}"},
    {"optional",
     text,
     field<&BubbleDecl::optional>,
     optionalDoc,
     optionalExample,
     {},
     "Without it, matches that find nothing and steps that change nothing "
     "are remarked on."},
    {"numerics", numerics, field<&BubbleDecl::numerics>, numericsDoc,
     "{ulp: 4}"},
    {"doc", text, field<&BubbleDecl::doc>, "What the bubble does.",
     "tiles contractions"},
};
constexpr ChoiceSpec bubbleChoices[] = {
    {"ingress"},  {"passes"},  {"schedule"},
    {"patterns"}, {"use"},     {"command", "ingress"},
    {"external"}, {"execute"}, {"emit"}};
constexpr MappingSpec bubbleMapping{
    "bubble", bubbleKeys, bubbleChoices,
    "A step. A pipeline begins with its one ingress; relative paths are "
    "relative to the file that has them."};
constexpr ValueSpec bubble = keysOf(bubbleMapping);
constexpr ValueSpec bubbles{
    .form = Form::MapOf, .element = &bubble, .nonEmpty = true};

constexpr ValueSpec formulas = mapOf(expression);
constexpr KeySpec constraintKeys[] = {
    {"that", expression, field<&ConstraintDecl::text>,
     "A formula that must hold.", "\"128 % columns == 0\"", required},
    {"because", text, field<&ConstraintDecl::because>,
     "Why; told to whoever breaks it.", "panels are cut into halves", required},
};
constexpr MappingSpec constraintMapping{
    "constraint", constraintKeys, noChoice,
    "Checked in every run and by `lh-run check`; the error shows the "
    "formula, the reason and the values."};
constexpr ValueSpec constraint = keysOf(constraintMapping);
constexpr ValueSpec constraints = listOf(constraint);

constexpr ValueSpec someFormulas = someOf(expression);
constexpr ValueSpec numbers = mapOf(someFormulas);
constexpr KeySpec strategyKeys[] = {
    {"doc", text, field<&StrategyDecl::doc>, "How it computes an op.",
     "panels and register tiles"},
    {"matches", text, field<&StrategyDecl::matches>,
     "The named sequence of the schedule, or of its libraries, that takes an "
     "op and fails where the strategy can't compute it.",
     "can_tile", required, "Its error is the reason that users are told."},
    {"numbers", numbers, writtenField<&StrategyDecl::numbers>,
     "What a choice may say besides, and the values that `lh-run tune` tries: "
     "formulas.",
     "{rows: [4, 6, 12], columns: [columns, \"columns / 2\"]}"},
    {"constraints", constraints, writtenField<&StrategyDecl::constraints>,
     "What must hold for the strategy to be there on a target; with names of "
     "numbers, for a choice of it.",
     "[{that: \"block % columns == 0\", because: a block is whole panels}]",
     optional, "A number hides a parameter of the same name."},
};
constexpr MappingSpec strategyMapping{
    "strategy", strategyKeys, noChoice,
    "A way to compute an op, which `lh.choice` names. The schedule of its file "
    "includes `@tuned`, which sets the choices that were measured."};
constexpr ValueSpec strategy = keysOf(strategyMapping);
constexpr ValueSpec strategies = mapOf(strategy);

constexpr KeySpec bubbleFileKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"doc", text, field<&BubbleFile::doc>, "What the bubble does.",
     "tiles contractions"},
    {"params", parameters, field<&BubbleFile::params>,
     "Values that `with:` can change.", "{k_unroll: {type: int, default: 4}}",
     optional,
     "`${params.x}` in the file is one of them, the user's otherwise. In a "
     "schedule they bind to arguments marked `lh.name` and attributes "
     "marked `lh.bind`."},
    {"let", formulas, writtenField<&BubbleFile::lets>,
     "Values computed from the parameters.",
     "{block: \"threads == 1 ? 256 : columns\"}", optional,
     "Formulas use plain names of parameters and of values above, 64-bit "
     "integers (`4`, `0x10`, `32 KiB`, `1 MiB`, `2 GiB`), booleans, texts "
     "in single quotes, `+ - * / %`, comparisons, `and or not`, `a ? b : "
     "c`, `min`, `max` and `ceildiv`. Elsewhere a value is `${let.x}`."},
    {"constraints", constraints, writtenField<&BubbleFile::constraints>,
     "What must hold of the parameters and computed values.",
     "[{that: \"rows <= 16\", because: accumulators fill registers}]"},
    {"passes", expression, field<&BubbleFile::action, &PassesDecl::pipeline>,
     passesDoc, "\"canonicalize,cse\""},
    {"schedule", text, field<&BubbleFile::action, &ScheduleDecl::file>,
     scheduleDoc, "tile-contractions.mlir"},
    {"entry", text, field<&BubbleFile::action, &ScheduleDecl::entry>, entryDoc,
     "tile", needs("schedule")},
    {"library", someTexts, field<&BubbleFile::action, &ScheduleDecl::libraries>,
     libraryDoc, "[common.mlir]", needs("schedule")},
    {"kernel", expression,
     field<&BubbleFile::action, &ScheduleDecl::kernelName>, kernelDoc,
     "\"${params.kernel}\"", needs("schedule"), kernelMore},
    {"patterns", text, field<&BubbleFile::action, &PatternsDecl::file>,
     patternsDoc, "lower-toy.mlir", optional, patternsMore},
    {"with", bindings, field<&BubbleFile::with>,
     "What the schedule's parameters are bound to; absent: to the file's "
     "parameters and computed values of the same names.",
     "{block: \"${let.block}\"}", needs("schedule")},
    {"strategies", strategies, field<&BubbleFile::strategies>,
     "What the schedule chooses between for each op.",
     "{tile: {matches: can_tile}}", needs("schedule")},
    {"bubbles", bubbles, field<&BubbleFile::bubbles>,
     "Instead of one action: a chain of steps.",
     "{a: {passes: cse}, b: {passes: sccp}}"},
    {"edges", texts, field<&BubbleFile::edges>, edgesDoc, "[a -> b]",
     needs("bubbles")},
    {"requires", form, field<&BubbleFile::requires_>, requiresDoc,
     "{types: {none: [memref]}}", optional, "In a chain: of the first bubble."},
    {"ensures", form, field<&BubbleFile::ensures>, ensuresDoc,
     "{dialects: {none: [linalg]}}", optional,
     "In a chain: of the last bubble."},
    {"preserves", preserved, field<&BubbleFile::preserves>, preservesDoc,
     "[boundary]"},
    {"optional", text, field<&BubbleFile::optional>, optionalDoc,
     optionalExample},
    {"numerics", numerics, field<&BubbleFile::numerics>, numericsDoc,
     "{ulp: 4}"},
};
constexpr ChoiceSpec bubbleFileChoices[] = {
    {"passes"}, {"schedule"}, {"patterns"}, {"bubbles"}};
constexpr MappingSpec bubbleFileSpec{
    "bubble file", bubbleFileKeys, bubbleFileChoices,
    "What `use` names: one action, or a chain of bubbles. A bubble `a` of a "
    "file that bubble `c` uses is called `c/a`."};

} // namespace lh::keys

const lh::MappingSpec &lh::bubbleFileMapping() { return keys::bubbleFileSpec; }
