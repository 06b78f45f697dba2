// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of keys.
#include "core/manifest/KeyTable.h"

#include "core/manifest/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;
using Form = ValueSpec::Form;

namespace {

// Values without a table of their own.
constexpr ValueSpec version{.form = Form::Version};
constexpr ValueSpec text{.form = Form::Text};
constexpr ValueSpec number{.form = Form::Number};
constexpr ValueSpec integer{.form = Form::Integer};
constexpr ValueSpec count{.form = Form::Integer, .minimum = 0};
constexpr ValueSpec bound{.form = Form::Number, .minimum = 0};
constexpr ValueSpec scalar{.form = Form::Scalar};
constexpr ValueSpec expression{.form = Form::Expression};
constexpr ValueSpec texts{.form = Form::List, .element = &text};
constexpr ValueSpec someTexts{
    .form = Form::List, .element = &text, .nonEmpty = true};
constexpr ValueSpec someExpressions{
    .form = Form::List, .element = &expression, .nonEmpty = true};
constexpr ValueSpec integers{.form = Form::List, .element = &integer};
constexpr ValueSpec sizes{.form = Form::List, .element = &count};
constexpr ValueSpec scalars{
    .form = Form::List, .element = &scalar, .nonEmpty = true};
constexpr ValueSpec scalarOrIntegers{.form = Form::Scalar,
                                     .alternative = &integers};
constexpr ValueSpec expressionOrIntegers{.form = Form::Expression,
                                         .alternative = &integers};
constexpr ValueSpec bindings{.form = Form::MapOf,
                             .element = &expressionOrIntegers};

constexpr StringRef dtypes[] = {
    "bool",           "int8",         "int16",          "int32",
    "int64",          "uint8",        "uint16",         "uint32",
    "uint64",         "float16",      "bfloat16",       "float32",
    "float64",        "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "float8e8m0",   "float4e2m1",     "int4",
    "uint4",          "int2",         "uint2"};
constexpr ValueSpec dtype{.form = Form::Word, .words = dtypes};

// Parameters.
constexpr StringRef parameterTypes[] = {"bool", "int", "float", "string",
                                        "path"};
constexpr ValueSpec parameterType{.form = Form::Word, .words = parameterTypes};
constexpr KeySpec parameterKeys[] = {
    {"type", parameterType, true, "", "What values it takes.", "int"},
    {"default", expression, false, "",
     "Its value when none is given; in a bubble file it may be a target's "
     "fact. Without a default a value must be given.",
     "4"},
    {"min", number, false, "", "The smallest value allowed.", "1"},
    {"max", number, false, "", "The largest value allowed.", "16"},
    {"choices", scalars, false, "", "The only values allowed.", "[4, 8, 16]"},
    {"doc", text, false, "", "What it is for.", "how often it is unrolled"},
};
constexpr MappingSpec parameterMapping{"parameter", parameterKeys};
constexpr ValueSpec parameter{.form = Form::Mapping,
                              .mapping = &parameterMapping};
constexpr ValueSpec parameters{.form = Form::MapOf, .element = &parameter};

// Conditions on facts; `not:` holds another condition.
extern const MappingSpec conditionMapping;
constexpr ValueSpec conditionTable{.form = Form::Mapping,
                                   .mapping = &conditionMapping,
                                   .alternative = &integers};
constexpr ValueSpec condition{.form = Form::Scalar,
                              .alternative = &conditionTable};
constexpr KeySpec conditionKeys[] = {
    {"min", number, false, "", "The fact is at least this.", "256"},
    {"max", number, false, "", "The fact is at most this.", "512"},
    {"any", scalars, false, "", "The fact is, or contains, one of these.",
     "[128, 256]"},
    {"all", scalars, false, "", "The fact contains all of these.", "[16, 32]"},
    {"not", condition, false, "", "This does not hold.", "{min: 1024}"},
};
const MappingSpec conditionMapping{"condition", conditionKeys};
constexpr ValueSpec conditions{.form = Form::MapOf, .element = &condition};

// Contracts.
constexpr StringRef typeNames[] = {"tensor", "memref", "vector",
                                   "scalable-vector"};
constexpr ValueSpec typeName{.form = Form::Word, .words = typeNames};
constexpr ValueSpec typeList{.form = Form::List, .element = &typeName};
constexpr StringRef shapeWords[] = {"static", "any"};
constexpr ValueSpec shapeWord{.form = Form::Word, .words = shapeWords};
constexpr KeySpec dialectsKeys[] = {
    {"only", texts, false, "", "No dialect but these (and builtin).",
     "[func, linalg, tensor, arith]"},
    {"none", texts, false, "", "None of these dialects.", "[linalg]"},
    {"some", texts, false, "", "An op of each of these dialects.", "[scf]"},
};
constexpr MappingSpec dialectsMapping{"dialects", dialectsKeys};
constexpr ValueSpec dialects{.form = Form::Mapping,
                             .mapping = &dialectsMapping};
constexpr KeySpec opsKeys[] = {
    {"none", texts, false, "", "None of these ops.", "[linalg.matmul]"},
    {"some", texts, false, "", "At least one of each of these ops.",
     "[vector.contract]"},
};
constexpr MappingSpec opsMapping{"ops", opsKeys};
constexpr ValueSpec ops{.form = Form::Mapping, .mapping = &opsMapping};
constexpr KeySpec typesKeys[] = {
    {"none", typeList, false, "", "No value of these types.", "[memref]"},
    {"some", typeList, false, "", "A value of each of these types.",
     "[vector]"},
};
constexpr MappingSpec typesMapping{"types", typesKeys};
constexpr ValueSpec types{.form = Form::Mapping, .mapping = &typesMapping};
constexpr KeySpec vectorsKeys[] = {
    {"max", count, true, "",
     "Elements of the largest vector of fixed length, at most.", "128"},
};
constexpr MappingSpec vectorsMapping{"vectors", vectorsKeys};
constexpr ValueSpec vectors{.form = Form::Mapping, .mapping = &vectorsMapping};
constexpr StringRef allocasWords[] = {"outside-loops", "any"};
constexpr ValueSpec allocasWord{.form = Form::Word, .words = allocasWords};
constexpr StringRef boundaryWords[] = {"tensors", "memrefs", "pointers"};
constexpr ValueSpec boundaryWord{.form = Form::Word, .words = boundaryWords};
constexpr KeySpec formKeys[] = {
    {"dialects", dialects, false, "", "Which dialects the module holds.",
     "{none: [linalg]}"},
    {"ops", ops, false, "", "Which ops the module holds.",
     "{some: [vector.contract]}"},
    {"types", types, false, "", "Which types its values have.",
     "{none: [memref]}"},
    {"shapes", shapeWord, false, "", "Whether all shapes are static.",
     "static"},
    {"vectors", vectors, false, "", "How large its vectors are.", "{max: 128}"},
    {"allocas", allocasWord, false, "",
     "Whether stack memory is taken outside of loops alone.", "outside-loops"},
    {"boundary", boundaryWord, false, "",
     "What its public functions take and return, besides scalars.", "memrefs"},
    {"filecheck", text, false, "",
     "A file with FileCheck directives, 'CHECK:', that the module satisfies.",
     "tile.check"},
};
constexpr MappingSpec formMapping{"contract", formKeys};
constexpr ValueSpec form{.form = Form::Mapping, .mapping = &formMapping};
constexpr StringRef preservedWords[] = {
    "dialects", "ops", "types", "shapes", "vectors", "allocas", "boundary"};
constexpr ValueSpec preservedWord{.form = Form::Word, .words = preservedWords};
constexpr ValueSpec preserved{.form = Form::List, .element = &preservedWord};

// Expectations.
constexpr StringRef failDoc = "Why it is known to fail.";
constexpr StringRef untilDoc =
    "The last day on which that is expected, or the version that ends it.";
constexpr StringRef failTargetsDoc = "On these targets alone.";
constexpr StringRef failPipelinesDoc = "In these pipelines alone.";
constexpr KeySpec expectKeys[] = {
    {"filecheck", expression, false, "",
     "A file with FileCheck directives for the module after the bubble.",
     "\"${case.model}\""},
    {"prefix", text, false, "filecheck",
     "What its directives begin with, if not CHECK.", "AVX512"},
    {"matched", scalar, false, "",
     "How many operations the matches of the bubble's schedule find.",
     "\">=1\""},
    {"fail", text, false, "", failDoc, "no masks for gathers"},
    {"until", text, false, "fail", untilDoc, "LLVM 23"},
    {"targets", someTexts, false, "fail", failTargetsDoc, "[aarch64-sve]"},
    {"pipelines", someTexts, false, "fail", failPipelinesDoc, "[optimized]"},
};
constexpr ChoiceSpec expectChoices[] = {
    {"filecheck"}, {"fail"}, {"matched", "filecheck"}};
constexpr MappingSpec expectMapping{"expect", expectKeys, expectChoices};
constexpr KeySpec expectOfCaseKeys[] = {
    {"fail", text, true, "", failDoc, "no masks for gathers"},
    {"until", text, false, "", untilDoc, "2027-06-30"},
    {"targets", someTexts, false, "", failTargetsDoc, "[aarch64-sve]"},
    {"pipelines", someTexts, false, "", failPipelinesDoc, "[optimized]"},
};
constexpr MappingSpec expectOfCaseMapping{"expect", expectOfCaseKeys};
constexpr ValueSpec expectOfCase{.form = Form::Mapping,
                                 .mapping = &expectOfCaseMapping};
constexpr ValueSpec expect{.form = Form::Mapping, .mapping = &expectMapping};

// Numerics.
constexpr ValueSpec boolean{.form = Form::Boolean};
constexpr ValueSpec winogradSize{
    .form = Form::Integer, .minimum = 1, .maximum = 8};
constexpr ValueSpec winograd{.form = Form::List, .element = &winogradSize};
constexpr ValueSpec mathUlp{
    .form = Form::Integer, .minimum = 1, .maximum = 1024};
constexpr StringRef operandTypes[] = {"bfloat16", "float16", "tf32",
                                      "tf32-truncated"};
constexpr ValueSpec operandType{.form = Form::Word, .words = operandTypes};
constexpr KeySpec numericsKeys[] = {
    {"winograd", winograd, false, "",
     "Convolutions by Winograd's algorithm: output tile and filter size.",
     "[4, 3]"},
    {"ulp", mathUlp, false, "",
     "Math functions are within this many representable values.", "4"},
    {"reassociate", boolean, false, "",
     "Sums and products are rearranged, across ops too.", "true"},
    {"operands", operandType, false, "",
     "The type that operands of contractions are rounded to.", "bfloat16"},
};
constexpr MappingSpec numericsMapping{"numerics", numericsKeys};
constexpr ValueSpec numerics{.form = Form::Mapping,
                             .mapping = &numericsMapping};

// Bubbles.
constexpr StringRef ingressKinds[] = {"onnx", "mlir", "command"};
constexpr ValueSpec ingressKind{.form = Form::Word, .words = ingressKinds};
constexpr StringRef ingressShapes[] = {"declared", "case"};
constexpr ValueSpec ingressShape{.form = Form::Word, .words = ingressShapes};
constexpr StringRef emitFormats[] = {"mlir",   "llvm-ir",        "assembly",
                                     "object", "shared-library", "ptx",
                                     "cubin",  "hsaco"};
constexpr ValueSpec emitFormat{.form = Form::Word, .words = emitFormats};
constexpr KeySpec executeKeys[] = {
    {"entry", text, true, "", "The function to run.", "main"},
    {"repeat", count, false, "",
     "How often it is run for timing; 0 runs it once, untimed.", "10"},
};
constexpr MappingSpec executeMapping{"execute", executeKeys};
constexpr ValueSpec executeTable{.form = Form::Mapping,
                                 .mapping = &executeMapping};
constexpr ValueSpec execute{.form = Form::Text, .alternative = &executeTable};

constexpr StringRef scheduleDoc =
    "A transform-dialect file to apply to the module.";
constexpr StringRef entryDoc =
    "The named sequence of the schedule to run; '__transform_main' if absent.";
constexpr StringRef libraryDoc =
    "Files whose named sequences the schedule may include.";
constexpr StringRef passesDoc =
    "An MLIR pass pipeline, as mlir-opt's --pass-pipeline takes it.";
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
    {"ingress", ingressKind, false, "", "Where the module comes from.", "onnx"},
    {"passes", expression, false, "", passesDoc, "\"canonicalize,cse\""},
    {"schedule", text, false, "", scheduleDoc, "../schedules/tile.mlir"},
    {"use", text, false, "", "A reusable bubble file: a path or lib:area/name.",
     "lib:cpu/vectorize"},
    {"command", someExpressions, false, "",
     "An external tool that reads MLIR and writes MLIR; needs --allow-exec.",
     "[my-opt, --my-pass, \"-\"]"},
    {"execute", execute, false, "",
     "Compile for the target and run this function.", "main"},
    {"emit", emitFormat, false, "",
     "Write the module in this form; 'shared-library' is refused: no target "
     "can make one yet.",
     "llvm-ir"},
    {"model", expression, false, "ingress", "The model file to read.",
     "\"${case.model}\""},
    {"shapes", ingressShape, false, "ingress",
     "Keep dynamic dimensions ('declared'), or fix them to the case's inputs.",
     "case"},
    {"entry", text, false, "schedule", entryDoc, "tile"},
    {"library", someTexts, false, "schedule", libraryDoc, "[common.mlir]"},
    {"path", expression, false, "emit",
     "The file to write: a relative path without '..', below the folder of "
     "--out or else the working folder; '-' is standard output.",
     "out/model.ll"},
    {"with", bindings, false, "",
     "Values for the parameters of the schedule or the used bubble.",
     "{k_unroll: \"${params.unroll}\"}"},
    {"when", conditions, false, "",
     "The targets that the bubble is for, by their facts.",
     "{vector_bits: {min: 256}}"},
    {"requires", form, false, "", requiresDoc, "{types: {none: [memref]}}"},
    {"ensures", form, false, "", ensuresDoc, "{dialects: {none: [linalg]}}"},
    {"preserves", preserved, false, "", preservesDoc, "[boundary]"},
    {"expect", expect, false, "",
     "What the module must look like after the bubble, or that it fails.",
     "{filecheck: \"${case.model}\"}"},
    {"optional", text, false, "", optionalDoc, optionalExample},
    {"numerics", numerics, false, "", numericsDoc, "{ulp: 4}"},
    {"doc", text, false, "", "What the bubble does.", "tiles contractions"},
};
constexpr ChoiceSpec bubbleChoices[] = {
    {"ingress"}, {"passes"}, {"schedule"}, {"use"}, {"command", "ingress"},
    {"execute"}, {"emit"}};
constexpr MappingSpec bubbleMapping{"bubble", bubbleKeys, bubbleChoices};
constexpr ValueSpec bubble{.form = Form::Mapping, .mapping = &bubbleMapping};
constexpr ValueSpec bubbles{
    .form = Form::MapOf, .element = &bubble, .nonEmpty = true};

// Pipelines.
constexpr KeySpec pipelineKeys[] = {
    {"path", someTexts, true, "",
     "The bubbles in order; neighbours must be edges.", "[import, lower, run]"},
    {"color", text, false, "", "Its colour in drawings of the graph.",
     "\"#4e79a7\""},
};
constexpr MappingSpec pipelineMapping{"pipeline", pipelineKeys};
constexpr ValueSpec pipeline{.form = Form::Mapping,
                             .mapping = &pipelineMapping};
constexpr ValueSpec pipelines{
    .form = Form::MapOf, .element = &pipeline, .nonEmpty = true};

// Tolerances.
constexpr StringRef atolDoc = "The absolute error allowed.";
constexpr StringRef rtolDoc = "The error allowed relative to the reference.";
constexpr StringRef ulpDoc = "The units in the last place allowed.";
constexpr KeySpec toleranceKeys[] = {
    {"atol", bound, false, "", atolDoc, "1e-5"},
    {"rtol", bound, false, "", rtolDoc, "1e-4"},
    {"ulp", count, false, "", ulpDoc, "4"},
};
constexpr MappingSpec toleranceMapping{"tolerance", toleranceKeys};
constexpr ValueSpec tolerance{.form = Form::Mapping,
                              .mapping = &toleranceMapping};
constexpr ValueSpec perDtype{
    .form = Form::MapOf, .words = dtypes, .element = &tolerance};
constexpr StringRef dtypesDoc = "Bounds for single element types.";
constexpr StringRef dtypesExample = "{float16: {rtol: 1e-2}}";

// Cases.
constexpr StringRef distributions[] = {"normal", "uniform", "integers",
                                       "zeros",  "ones",    "specials"};
constexpr ValueSpec distribution{.form = Form::Word, .words = distributions};
constexpr ValueSpec range{
    .form = Form::List, .element = &number, .nonEmpty = true};
constexpr KeySpec inputKeys[] = {
    {"shape", sizes, true, "", "Its dimensions.", "[1, 8, 8]"},
    {"dtype", dtype, false, "", "Its element type, if not the entry's own.",
     "float32"},
    {"dist", distribution, false, "", "How its elements are drawn.", "uniform"},
    {"range", range, false, "", "The lowest and the highest element.",
     "[-1, 1]"},
};
constexpr MappingSpec inputMapping{"input", inputKeys};
constexpr ValueSpec input{.form = Form::Mapping, .mapping = &inputMapping};
constexpr ValueSpec inputs{.form = Form::MapOf, .element = &input};
constexpr StringRef inputSets[] = {"drawn", "exact", "ordered", "specials"};
constexpr ValueSpec inputSet{.form = Form::Word, .words = inputSets};
constexpr ValueSpec someInputSets{
    .form = Form::List, .element = &inputSet, .nonEmpty = true};
constexpr ValueSpec draws{.form = Form::Integer, .minimum = 1, .maximum = 1000};
constexpr KeySpec generateKeys[] = {
    {"model", expression, true, "", "The model to run.", "matmul.mlir"},
    {"seed", count, false, "", "Makes the inputs repeatable.", "7"},
    {"inputs", inputs, false, "",
     "The inputs; without them the entry's static signature.",
     "{x: {shape: [8, 8]}}"},
    {"sets", someInputSets, false, "",
     "The data sets to run; absent: those that the oracle can judge.",
     "[drawn, exact]"},
    {"draws", draws, false, "",
     "How often each set is drawn; absent: 4 times where `oracle: auto` judges "
     "a small model, else once.",
     "10"},
};
constexpr MappingSpec generateMapping{"generate", generateKeys};
constexpr ValueSpec generate{.form = Form::Mapping,
                             .mapping = &generateMapping};
constexpr KeySpec caseKeys[] = {
    {"golden", expression, false, "",
     "A folder with a model, inputs and expected outputs.",
     "../golden/digits-cnn"},
    {"onnx-test", expression, false, "",
     "ONNX backend test folders, by path or pattern.", "\"corpus/test_*\""},
    {"generate", generate, false, "", "A model with generated inputs.",
     "{model: matmul.mlir, seed: 7}"},
    {"tolerance", tolerance, false, "", "Bounds for this case.",
     "{atol: 1e-5}"},
    {"expect", expectOfCase, false, "", "That the case is known to fail.",
     "{fail: the model is not exact}"},
};
constexpr ChoiceSpec caseChoices[] = {{"golden"}, {"onnx-test"}, {"generate"}};
constexpr MappingSpec caseMapping{"case", caseKeys, caseChoices};
constexpr ValueSpec oneCase{.form = Form::Mapping, .mapping = &caseMapping};
constexpr ValueSpec cases{.form = Form::MapOf, .element = &oneCase};

// Verification.
const ValueSpec oracleMode{.form = Form::Word, .words = oracleModeWords()};
constexpr ValueSpec share{.form = Form::Number, .minimum = 0, .maximum = 1};
constexpr KeySpec labelsKeys[] = {
    {"at_least", share, true, "",
     "The share of the rows that must be classified rightly.", "0.9"},
};
constexpr MappingSpec labelsMapping{"labels", labelsKeys};
constexpr ValueSpec labels{.form = Form::Mapping, .mapping = &labelsMapping};
constexpr KeySpec verifyKeys[] = {
    {"against", someTexts, true, "",
     "What outputs are compared with: golden, oracle, or a pipeline.",
     "[golden, oracle]"},
    {"oracle", oracleMode, false, "", "How the oracle's bounds are found.",
     "auto"},
    {"atol", bound, false, "", atolDoc, "1e-5"},
    {"rtol", bound, false, "", rtolDoc, "1e-4"},
    {"ulp", count, false, "", ulpDoc, "4"},
    {"dtypes", perDtype, false, "", dtypesDoc, dtypesExample},
    {"labels", labels, false, "",
     "How many rows of a golden with labels must be classified rightly.",
     "{at_least: 0.9}"},
};
constexpr MappingSpec verifyMapping{"verify", verifyKeys};
constexpr StringRef verifyWords[] = {"none"};
constexpr ValueSpec noVerify{.form = Form::Word, .words = verifyWords};
constexpr ValueSpec verify{
    .form = Form::Mapping, .mapping = &verifyMapping, .alternative = &noVerify};

// The three files.
constexpr StringRef versionDoc = "The version of this format.";
constexpr StringRef edgesDoc = "Which bubble hands its module to which.";
constexpr StringRef edgesExample = "[import -> lower -> run]";
constexpr KeySpec manifestKeys[] = {
    {"lighthouse", version, true, "", versionDoc, "1"},
    {"name", text, true, "", "What reports call this manifest.", "onnx-to-cpu"},
    {"summary", text, false, "", "One sentence on what it does.",
     "An ONNX model to native code."},
    {"params", parameters, false, "", "Values that --set can change.",
     "{unroll: {type: int, default: 4}}"},
    {"targets", someTexts, true, "",
     "What it compiles for: names of target files.", "[x86-avx512, host]"},
    {"bubbles", bubbles, true, "", "The steps, by name.",
     "{import: {ingress: onnx, model: \"${case.model}\"}}"},
    {"edges", texts, false, "", edgesDoc, edgesExample},
    {"pipelines", pipelines, false, "",
     "The paths that run; all of them if absent.",
     "{plain: {path: [import, lower, run]}}"},
    {"cases", cases, false, "", "What to run it on.",
     "{digits: {golden: ../golden/digits-cnn}}"},
    {"verify", verify, false, "",
     "What outputs are compared with; 'none' lets them stay unverified.",
     "{against: [golden, oracle]}"},
};
constexpr MappingSpec manifestSpec{"manifest", manifestKeys};

constexpr ValueSpec formulas{.form = Form::MapOf, .element = &expression};
constexpr KeySpec constraintKeys[] = {
    {"that", expression, true, "", "A formula that must hold.",
     "\"128 % columns == 0\""},
    {"because", text, true, "", "Why; told to whoever breaks it.",
     "panels are cut into halves"},
};
constexpr MappingSpec constraintMapping{"constraint", constraintKeys};
constexpr ValueSpec constraint{.form = Form::Mapping,
                               .mapping = &constraintMapping};
constexpr ValueSpec constraints{.form = Form::List, .element = &constraint};
constexpr KeySpec bubbleFileKeys[] = {
    {"lighthouse", version, true, "", versionDoc, "1"},
    {"doc", text, false, "", "What the bubble does.", "tiles contractions"},
    {"params", parameters, false, "", "Values that `with:` can change.",
     "{k_unroll: {type: int, default: 4}}"},
    {"let", formulas, false, "", "Values computed from the parameters.",
     "{block: \"threads == 1 ? 256 : columns\"}"},
    {"constraints", constraints, false, "",
     "What must hold of the parameters and computed values.",
     "[{that: \"rows <= 16\", because: accumulators fill registers}]"},
    {"passes", expression, false, "", passesDoc, "\"canonicalize,cse\""},
    {"schedule", text, false, "", scheduleDoc, "tile-contractions.mlir"},
    {"entry", text, false, "schedule", entryDoc, "tile"},
    {"library", someTexts, false, "schedule", libraryDoc, "[common.mlir]"},
    {"with", bindings, false, "schedule",
     "What the schedule's parameters are bound to; absent: to the file's "
     "parameters and computed values of the same names.",
     "{block: \"${let.block}\"}"},
    {"bubbles", bubbles, false, "", "Instead of one action: a chain of steps.",
     "{a: {passes: cse}, b: {passes: sccp}}"},
    {"edges", texts, false, "bubbles", edgesDoc, "[a -> b]"},
    {"requires", form, false, "", requiresDoc, "{types: {none: [memref]}}"},
    {"ensures", form, false, "", ensuresDoc, "{dialects: {none: [linalg]}}"},
    {"preserves", preserved, false, "", preservesDoc, "[boundary]"},
    {"optional", text, false, "", optionalDoc, optionalExample},
    {"numerics", numerics, false, "", numericsDoc, "{ulp: 4}"},
};
constexpr ChoiceSpec bubbleFileChoices[] = {
    {"passes"}, {"schedule"}, {"bubbles"}};
constexpr MappingSpec bubbleFileSpec{"bubble file", bubbleFileKeys,
                                     bubbleFileChoices};

constexpr StringRef backends[] = {"cpu", "cuda", "rocm"};
constexpr ValueSpec backend{.form = Form::Word, .words = backends};
constexpr ValueSpec facts{.form = Form::MapOf, .element = &scalarOrIntegers};
constexpr ValueSpec sweep{.form = Form::MapOf, .element = &scalars};
constexpr ValueSpec needs{.form = Form::MapOf, .element = &text};
constexpr KeySpec runKeys[] = {
    {"native_on", text, false, "",
     "The machine (uname -m) that runs its code directly.", "x86_64"},
    {"emulator", someExpressions, false, "",
     "The command that runs its code elsewhere.", "[qemu-aarch64, -cpu, max]"},
    {"sweep", sweep, false, "", "Values to run the same code with, each.",
     "{vl_bytes: [16, 32]}"},
    {"vector_bytes", expression, false, "",
     "How long the machine's scalable vectors must be; checked before the code "
     "is called.",
     "${sweep.vl_bytes}"},
    {"needs", needs, false, "",
     "Packages that running needs, each with a program (or a file, by its "
     "path) that it brings.",
     "{qemu-user: qemu-aarch64}"},
};
constexpr MappingSpec runMapping{"run", runKeys};
constexpr ValueSpec run{.form = Form::Mapping, .mapping = &runMapping};
constexpr KeySpec targetToleranceKeys[] = {
    {"atol", bound, false, "", atolDoc, "1e-5"},
    {"rtol", bound, false, "", rtolDoc, "1e-4"},
    {"ulp", count, false, "", ulpDoc, "4"},
    {"dtypes", perDtype, false, "", dtypesDoc, dtypesExample},
};
constexpr MappingSpec targetToleranceMapping{"tolerance", targetToleranceKeys};
constexpr ValueSpec targetTolerance{.form = Form::Mapping,
                                    .mapping = &targetToleranceMapping};
constexpr KeySpec targetKeys[] = {
    {"lighthouse", version, true, "", versionDoc, "1"},
    {"doc", text, false, "", "What the target is.", "x86-64 with AVX-512"},
    {"backend", backend, false, "", "The part of the engine that runs it.",
     "cpu"},
    {"extends", text, false, "",
     "A target, by name or path, that it is but for what follows.",
     "x86-avx512"},
    {"triple", text, false, "", "LLVM's target triple; absent: this machine's.",
     "x86_64-linux-gnu"},
    {"cpu", text, false, "", "LLVM's CPU name; 'host' detects this machine's.",
     "skylake-avx512"},
    {"features", texts, false, "",
     "CPU features that the code uses and the machine must have.",
     "[avx512f, fma]"},
    {"facts", facts, false, "", "What schedules may know of the target.",
     "{vector_bits: 512}"},
    {"run", run, false, "", "Where and how its code runs.",
     "{native_on: x86_64}"},
    {"tolerance", targetTolerance, false, "", "Bounds for this target.",
     "{dtypes: {float16: {rtol: 1e-2}}}"},
    {"labels", texts, false, "", "Words to find the target by.",
     "[linux, x86]"},
};
constexpr ChoiceSpec targetChoices[] = {{"backend"}, {"extends"}};
constexpr MappingSpec targetSpec{"target", targetKeys, targetChoices};

constexpr KeySpec defaultFactsKeys[] = {
    {"lighthouse", version, true, "", versionDoc, "1"},
    {"doc", text, false, "", "What the facts are of.", "x86-64 with AVX2"},
    {"facts", facts, true, "", "What targets have that say nothing else.",
     "{vector_bits: 256}"},
};
constexpr MappingSpec defaultFactsSpec{"file of default facts",
                                       defaultFactsKeys};

} // namespace

const MappingSpec &lh::manifestMapping() { return manifestSpec; }
const MappingSpec &lh::bubbleFileMapping() { return bubbleFileSpec; }
const MappingSpec &lh::targetMapping() { return targetSpec; }
const MappingSpec &lh::defaultFactsMapping() { return defaultFactsSpec; }

bool lh::isValidName(StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && isWord(name.front()) &&
         llvm::all_of(
             name, [&](char c) { return isWord(c) || c == '-' || c == '.'; });
}
