// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of manifests.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

// Pipelines.
constexpr KeySpec pipelineKeys[] = {
    {"path", someTexts, field<&PipelineDecl::path>,
     "The bubbles in order; neighbours must be edges.", "[import, lower, run]",
     required, "A common start of several pipelines runs once."},
    {"color", text, field<&PipelineDecl::color>,
     "Its colour in drawings of the graph.", "\"#4e79a7\""},
};
constexpr MappingSpec pipelineMapping{"pipeline", pipelineKeys};
constexpr ValueSpec pipeline = keysOf(pipelineMapping);
constexpr ValueSpec pipelines{
    .form = Form::MapOf, .element = &pipeline, .nonEmpty = true};

constexpr KeySpec toleranceKeys[] = {
    {"atol", bound, field<&ToleranceDecl::atol>, atolDoc, "1e-5"},
    {"rtol", bound, field<&ToleranceDecl::rtol>, rtolDoc, "1e-4"},
    {"ulp", count, field<&ToleranceDecl::ulp>, ulpDoc, "4"},
};
constexpr MappingSpec toleranceMapping{
    "tolerance", toleranceKeys, noChoice,
    "What is not given comes from the next of: command line, case, target "
    "and dtype, target, dtype, built in."};
constexpr ValueSpec tolerance = keysOf(toleranceMapping);
constexpr ValueSpec perDtype{
    .form = Form::MapOf, .words = dtypeNames, .element = &tolerance};
// Cases.
constexpr StringRef distributions[] = {"normal", "uniform", "integers",
                                       "zeros",  "ones",    "specials"};
constexpr ValueSpec distribution = oneOf(distributions);
constexpr ValueSpec range = someOf(number);
constexpr ValueSpec sparsePattern = oneOf(wordsOf<SparsePattern>);
constexpr ValueSpec share{.form = Form::Number, .minimum = 0, .maximum = 1};
constexpr KeySpec sparseKeys[] = {
    {"pattern", sparsePattern, field<&PatternOptions::pattern>,
     "Which elements are stored.", "power-law", optional,
     "Absent: `uniform`, in each row about the same number at random places. "
     "`banded`: beside the diagonal. `power-law`: few long rows and many short "
     "ones. Of a format with blocks whole blocks are drawn; in one of n of m "
     "all groups are full."},
    {"density", share, field<&PatternOptions::density>,
     "About how much of all elements is stored.", "0.01", optional,
     "Absent: 0.1. Of `uniform` and `power-law`; 0 is an empty tensor."},
    {"band", count, field<&PatternOptions::band>,
     "How far from the diagonal there are some.", "2", optional,
     "Absent: 1. Of `banded`."},
};
constexpr MappingSpec sparseMapping{"sparse", sparseKeys};
constexpr ValueSpec sparse = keysOf(sparseMapping);
constexpr KeySpec inputKeys[] = {
    {"shape", sizes, field<&GeneratedInput::shape>, "Its dimensions.",
     "[1, 8, 8]", required},
    {"dtype", dtype, field<&GeneratedInput::dtype>,
     "Its element type, if not the entry's own.", "float32"},
    {"dist", distribution, field<&GeneratedInput::dist>,
     "How its elements are drawn.", "uniform", optional,
     "Absent: `normal`. `integers` without a `range` are exact if possible."},
    {"range", range, field<&GeneratedInput::range>,
     "The lowest and the highest element.", "[-1, 1]"},
    {"sparse", sparse, field<&GeneratedInput::sparse>,
     "Which elements there are of an input whose type is sparse.",
     "{density: 0.01}"},
};
constexpr MappingSpec inputMapping{"input", inputKeys};
constexpr ValueSpec input = keysOf(inputMapping);
constexpr ValueSpec inputs = mapOf(input);
constexpr ValueSpec inputSet = oneOf(wordsOf<InputSet>);
constexpr ValueSpec someInputSets = someOf(inputSet);
constexpr ValueSpec draws{.form = Form::Integer, .minimum = 1, .maximum = 1000};
constexpr KeySpec generateKeys[] = {
    {"model", expression, field<&GenerateCase::model>, "The model to run.",
     "matmul.mlir", required},
    {"seed", count, field<&GenerateCase::seed>, "Makes the inputs repeatable.",
     "7", optional, "Absent: 0. Further draws take the numbers that follow."},
    {"inputs", inputs, field<&GenerateCase::inputs>,
     "The inputs; without them the entry's static signature.",
     "{x: {shape: [8, 8]}}"},
    {"sets", someInputSets, field<&GenerateCase::sets>,
     "The data sets to run; absent: those that the oracle can judge.",
     "[drawn, exact]", optional,
     "`drawn`: as declared. `exact`: integers with which no operation "
     "rounds. `ordered`: sums that only the source's order gives exactly. "
     "`specials`: NaN, infinities, denormals and large numbers among normal "
     "ones. A set that makes no sense for the model is not applicable."},
    {"draws", draws, field<&GenerateCase::draws>,
     "How often each set is drawn; absent: 4 times where `oracle: auto` judges "
     "a small model, else once.",
     "10", optional,
     "A model with more than 65,536 elements of inputs and weights is drawn "
     "once."},
    {"open", sizes, field<&GenerateCase::open>,
     "Sizes of open dimensions of inputs that are not listed: of the first "
     "dimension, of the second, and so on; the last for all that follow.",
     "[2, 13]", optional,
     "Dimensions of one name get one size. Absent: such inputs are listed."},
};
constexpr MappingSpec generateMapping{"generate", generateKeys};
constexpr ValueSpec generate = keysOf(generateMapping);
constexpr KeySpec caseKeys[] = {
    {"doc", text, field<&CaseDecl::doc>, "What the case is there for.",
     "Odd sizes that fill no tile."},
    {"golden", expression, field<&CaseDecl::source, &GoldenCase::directory>,
     "A folder with a model, inputs and expected outputs.",
     "../golden/digits-cnn"},
    {"onnx-test", expression, field<&CaseDecl::source, &OnnxTestCase::pattern>,
     "ONNX backend test folders, by path or pattern.", "\"corpus/test_*\""},
    {"stablehlo-test", expression,
     field<&CaseDecl::source, &StablehloTestCase::pattern>,
     "StableHLO's own tests, files or folders by path or pattern; each is "
     "judged by the values that it holds.",
     "\"corpus/testdata/*\""},
    {"generate", generate, field<&CaseDecl::source, as<GenerateCase>>,
     "A model with generated inputs.", "{model: matmul.mlir, seed: 7}"},
    {"tolerance", tolerance, field<&CaseDecl::tolerance>,
     "Bounds for this case.", "{atol: 1e-5}"},
    {"expect", expectOfCase, sameOwner, "That the case is known to fail.",
     "{fail: the model is not exact}"},
};
constexpr ChoiceSpec caseChoices[] = {
    {"golden"}, {"onnx-test"}, {"stablehlo-test"}, {"generate"}};
constexpr MappingSpec caseMapping{"case", caseKeys, caseChoices,
                                  "Something to run on."};
constexpr ValueSpec oneCase = keysOf(caseMapping);
constexpr ValueSpec cases = mapOf(oneCase);

// Verification.
constexpr ValueSpec oracleMode = oneOf(wordsOf<OracleMode>);
constexpr KeySpec labelsKeys[] = {
    {"at_least", share, field<&VerifyDecl::labelsAtLeast>,
     "The share of the rows that must be classified rightly.", "0.9", required,
     "Absent: as many as of the golden's own outputs, and at least half."},
};
constexpr MappingSpec labelsMapping{"labels", labelsKeys};
constexpr ValueSpec labels = keysOf(labelsMapping);
constexpr KeySpec verifyKeys[] = {
    {"against", someTexts, field<&VerifyDecl::against>,
     "What outputs are compared with: golden, oracle, or a pipeline.",
     "[golden, oracle]", required,
     "The oracle is the engine's own reference in f64."},
    {"except", someTexts, field<&VerifyDecl::except>,
     "Outputs that are not compared, by name.", "[random_mask]", optional,
     "A result with no other output is unverified."},
    {"oracle", oracleMode, field<&VerifyDecl::mode>,
     "How the oracle's bounds are found.", "auto", optional,
     "Absent: `auto`, or `tolerance` where bounds are given here."},
    {"atol", bound, field<&VerifyDecl::tolerance, &ToleranceDecl::atol>,
     atolDoc, "1e-5"},
    {"rtol", bound, field<&VerifyDecl::tolerance, &ToleranceDecl::rtol>,
     rtolDoc, "1e-4"},
    {"ulp", count, field<&VerifyDecl::tolerance, &ToleranceDecl::ulp>, ulpDoc,
     "4"},
    {"dtypes", perDtype, field<&VerifyDecl::perDtype>, dtypesDoc,
     dtypesExample},
    {"labels", labels, sameOwner,
     "How many rows of a golden with labels must be classified rightly.",
     "{at_least: 0.9}"},
};
constexpr MappingSpec verifyMapping{"verify", verifyKeys};
constexpr StringRef verifyWords[] = {"none"};
constexpr ValueSpec noVerify = oneOf(verifyWords);
constexpr ValueSpec verify{
    .form = Form::Mapping, .mapping = &verifyMapping, .alternative = &noVerify};

// The file.
constexpr KeySpec manifestKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"name", text, field<&Manifest::name>, "What reports call this manifest.",
     "onnx-to-cpu", required},
    {"summary", text, field<&Manifest::summary>,
     "One sentence on what it does.", "An ONNX model to native code."},
    {"params", parameters, field<&Manifest::params>,
     "Values that --set can change.", "{unroll: {type: int, default: 4}}"},
    {"targets", someTexts, field<&Manifest::targets>,
     "What it compiles for: names of target files.", "[x86-avx512, host]",
     required,
     "A file `NAME.yaml` beside the manifest, in `targets/` of its folder "
     "or the one above, or in the library; or a path. `--target` picks."},
    {"dialects", someTexts, field<&Manifest::dialects>,
     "Files of IRDL that declare dialects of your own.", "[toy.irdl.mlir]",
     optional,
     "They are known before anything is read. The oracle, which can't compute "
     "them, begins behind the bubble that ensures that none of them is left."},
    {"bubbles", bubbles, field<&Manifest::bubbles>, "The steps, by name.",
     "{import: {ingress: onnx, model: \"${case.model}\"}}", required},
    {"edges",
     texts,
     field<&Manifest::edges>,
     edgesDoc,
     edgesExample,
     {},
     "`a -> b -> c` is two edges."},
    {"pipelines", pipelines, field<&Manifest::pipelines>,
     "The paths that run; all of them if absent.",
     "{plain: {path: [import, lower, run]}}", optional,
     "They are then named by the bubbles that tell them apart, and are at "
     "most 64."},
    {"cases", cases, field<&Manifest::cases>, "What to run it on.",
     "{digits: {golden: ../golden/digits-cnn}}"},
    {"verify", verify, field<&Manifest::verify>,
     "What outputs are compared with; 'none' lets them stay unverified.",
     "{against: [golden, oracle]}", optional,
     "With nothing to compare, or where zeros would pass, a result is "
     "unverified and fails."},
    {"tuned", someTexts, field<&Manifest::tuned>,
     "Files of choices that `lh-run tune` has measured.",
     "[../tuned/x86-avx512.yaml]", optional,
     "Each is for one target. What `--set` and `with` say comes first, then "
     "`--tuned`, these, the rules, and defaults."},
};
constexpr MappingSpec manifestSpec{"manifest", manifestKeys, noChoice,
                                   "What `lh-run MANIFEST` runs."};

} // namespace lh::keys

const lh::MappingSpec &lh::manifestMapping() { return keys::manifestSpec; }
