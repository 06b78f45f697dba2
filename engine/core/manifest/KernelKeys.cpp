// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of kernels.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

constexpr StringRef kernelElements[] = {"f16", "bf16", "f32",
                                        "f64", "i8",   "i32"};
constexpr ValueSpec kernelElement = oneOf(kernelElements);
constexpr KeySpec kernelTypesKeys[] = {
    {"a", kernelElement, field<&KernelTypes::left>, "Of the left-hand matrix.",
     "f32", required},
    {"b", kernelElement, field<&KernelTypes::right>,
     "Of the right-hand matrix.", "f32", required},
    {"c", kernelElement, field<&KernelTypes::sum>,
     "Of the sums, and of what is computed of them.", "f32", required},
};
constexpr MappingSpec kernelTypesMapping{"kernel's types", kernelTypesKeys};
constexpr ValueSpec kernelTypes = keysOf(kernelTypesMapping);

constexpr StringRef kernelPatterns[] = {
    "product",      "product-relu",      "product-bias", "product-bias-relu",
    "product-gelu", "product-bias-gelu", "product-silu", "product-bias-silu"};
constexpr ValueSpec kernelFunctions{.form = Form::MapOf,
                                    .words = kernelPatterns,
                                    .element = &text,
                                    .nonEmpty = true};

constexpr ValueSpec kernelNeeds = mapOf(text);
constexpr ValueSpec kernelFlag{.form = Form::Boolean};
constexpr ValueSpec positive{.form = Form::Integer, .minimum = 1};
constexpr ValueSpec tileSize{
    .form = Form::Integer, .minimum = 1, .maximum = 65536};
constexpr StringRef multipleDoc = "What each call's size is a multiple of.";
constexpr StringRef largestDoc = "The largest size of a call.";
constexpr KeySpec boundedKeys[] = {
    {"multiple", positive, field<&KernelExtent::multiple>, multipleDoc, "8"},
    {"max", tileSize, field<&KernelExtent::most>, largestDoc, "64", required},
};
constexpr MappingSpec boundedMapping{"kernel's tile", boundedKeys};
constexpr ValueSpec bounded = keysOf(boundedMapping);
constexpr KeySpec extentKeys[] = {
    {"multiple", positive, field<&KernelExtent::multiple>, multipleDoc, "4"},
    {"max", positive, field<&KernelExtent::most>, largestDoc, "4096"},
};
constexpr MappingSpec extentMapping{"kernel's sum", extentKeys};
constexpr ValueSpec extent = keysOf(extentMapping);
constexpr KeySpec kernelSizesKeys[] = {
    {"m", bounded, field<&KernelSpec::rows>, "Rows of C in a call.",
     "{max: 64}", required},
    {"n", bounded, field<&KernelSpec::columns>,
     "Columns of C in a call. B is packed in panels of `max` columns.",
     "{multiple: 16, max: 64}", required},
    {"k", extent, field<&KernelSpec::sum>,
     "The terms of a sum. A call computes whole sums.", "{multiple: 4}"},
};
constexpr MappingSpec kernelSizesMapping{"kernel's sizes", kernelSizesKeys};
constexpr ValueSpec kernelSizes = keysOf(kernelSizesMapping);

constexpr KeySpec kernelBodyKeys[] = {
    {"c", text, field<&KernelSpec::body, &CSource::file>,
     "A file in C, which clang compiles for the target.", "gemm.c", optional,
     "Needs `--allow-exec`, unless the kernel is the installed library's."},
    {"mlir", text, field<&KernelSpec::body, &MlirCode::file>,
     "MLIR text: a function on buffers for each symbol, which is compiled with "
     "the code that calls it.",
     "gemm.mlir"},
    {"llvm", text, field<&KernelSpec::body, &LlvmCode::file>,
     "A file of LLVM IR, text or bitcode.", "gemm.ll"},
    {"object", text, field<&KernelSpec::body, &ObjectCode::file>,
     "An object file, which is linked.", "gemm.o"},
    {"library", text, field<&KernelSpec::body, &LibraryCode::file>,
     "A shared library, which is loaded.", "libgemm.so", optional,
     "Needs `--allow-exec`. Not for code that is emulated."},
    {"flags", texts, field<&KernelSpec::body, &CSource::flags>,
     "Further flags of the compiler.", "[-O2]", needs("c")},
    {"links", texts, field<&KernelSpec::body, &CSource::links>,
     "Libraries that it calls, by what follows `-l`.", "[xsmm]", needs("c"),
     "It is then compiled to a shared library, which is loaded. A library with "
     "threads of its own must be kept to one."},
};
constexpr ChoiceSpec kernelBodyChoices[] = {
    {"c"}, {"mlir"}, {"llvm"}, {"object"}, {"library"}};
constexpr MappingSpec kernelBodyMapping{"kernel's body", kernelBodyKeys,
                                        kernelBodyChoices};
constexpr ValueSpec kernelBody = keysOf(kernelBodyMapping);

constexpr KeySpec kernelKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"doc", text, field<&KernelSpec::doc>, "What the kernel is.",
     "f32 products in portable C"},
    {"types", kernelTypes, field<&KernelSpec::types>, "Types of the matrices.",
     "{a: f32, b: f32, c: f32}", required},
    {"computes", kernelFunctions, field<&KernelSpec::functions>,
     "What its functions compute, and their names in the body.",
     "{product: gemm_f32}", required,
     "`product` is C = A B; the words behind it say what is computed of each "
     "sum before it is stored: a bias for each column is added, then ReLU, "
     "GELU (by erf) or SiLU is taken."},
    {"sizes", kernelSizes, sameOwner,
     "What a call may be given. A product that doesn't divide so is left to "
     "other strategies.",
     "{m: {max: 64}, n: {multiple: 16, max: 64}}", required},
    {"features", texts, field<&KernelSpec::features>,
     "Features that the target's CPU must have, by LLVM's names.", "[avx512f]"},
    {"needs", kernelNeeds, field<&KernelSpec::needs>,
     "Packages that the body needs, each with a program (or a file, by its "
     "path) that it brings.",
     "{libxsmm-dev: /usr/include/libxsmm.h}", optional,
     "Where one is missing, what calls the kernel is skipped and the package "
     "named."},
    {"reassociates", kernelFlag, field<&KernelSpec::reassociates>,
     "Whether it adds up the terms of a sum in another order.", "true"},
    {"body", kernelBody, sameOwner, "Its code.", "{c: gemm.c, flags: [-O2]}",
     required},
};
constexpr MappingSpec kernelSpec{
    "kernel", kernelKeys, noChoice,
    "What code of others computes; [kernels.md](../kernels.md) says how it is "
    "called. The file's name is the kernel's."};

} // namespace lh::keys

const lh::MappingSpec &lh::kernelMapping() { return keys::kernelSpec; }
