// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of targets and of files of default facts.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

constexpr StringRef backends[] = {"cpu", "cuda", "rocm", "xe", "vulkan", "external"};
constexpr ValueSpec backend = oneOf(backends);
constexpr ValueSpec facts = mapOf(scalarOrIntegers);
constexpr ValueSpec sweep = mapOf(scalars);
constexpr ValueSpec textMap = mapOf(text);
constexpr KeySpec runKeys[] = {
    {"native_on", text, field<&TargetRunDecl::nativeOn>,
     "The machine (uname -m) that runs its code directly.", "x86_64", optional,
     "With neither this nor an emulator: any machine."},
    {"emulator", someExpressions, field<&TargetRunDecl::emulator>,
     "The command that runs its code elsewhere.", "[qemu-aarch64, -cpu, max]",
     optional, "It may use `${target.x}` and `${sweep.x}`."},
    {"command", someExpressions, field<&TargetRunDecl::command>,
     "The program that calls what `compile` made; of external targets.",
     "[accel-run, \"{program}\", \"{inputs}\", \"{outputs}\"]", optional,
     "[external-backend.md](../external-backend.md); needs `--allow-exec`."},
    {"emulates", texts, field<&TargetRunDecl::emulates>,
     "Features whose instructions lh-run carries out itself where this "
     "machine's CPU lacks them.",
     "[amx-tile, amx-int8]", optional,
     "There are those of AMX. Results are labelled simulated, and not timed."},
    {"sweep", sweep, field<&TargetRunDecl::sweep>,
     "Values to run the same code with, each.", "{vl_bytes: [16, 32]}"},
    {"vector_bytes", expression, field<&TargetRunDecl::vectorBytes>,
     "How long the machine's scalable vectors must be; checked before the code "
     "is called.",
     "${sweep.vl_bytes}"},
    {"needs", textMap, field<&TargetRunDecl::needs>,
     "Packages that running needs, each with a program (or a file, by its "
     "path) that it brings.",
     "{qemu-user: qemu-aarch64}", optional,
     "Where one is missing, the target is skipped and the package named."},
};
constexpr MappingSpec runMapping{"run", runKeys};
constexpr ValueSpec run = keysOf(runMapping);
constexpr KeySpec targetToleranceKeys[] = {
    {"atol", bound, field<&TargetSpec::tolerance, &ToleranceDecl::atol>,
     atolDoc, "1e-5"},
    {"rtol", bound, field<&TargetSpec::tolerance, &ToleranceDecl::rtol>,
     rtolDoc, "1e-4"},
    {"ulp", count, field<&TargetSpec::tolerance, &ToleranceDecl::ulp>, ulpDoc,
     "4"},
    {"dtypes", perDtype, field<&TargetSpec::perDtype>, dtypesDoc,
     dtypesExample},
};
constexpr MappingSpec targetToleranceMapping{"tolerance", targetToleranceKeys};
constexpr ValueSpec targetTolerance = keysOf(targetToleranceMapping);
constexpr KeySpec targetKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"doc", text, field<&TargetSpec::doc>, "What the target is.",
     "x86-64 with AVX-512"},
    {"backend", backend, field<&TargetSpec::backend>,
     "The part of the engine that runs it.", "cpu"},
    {"extends",
     text,
     {},
     "A target, by name or path, that it is but for what follows.",
     "x86-avx512",
     optional,
     "Facts are taken one by one, every other key as a whole."},
    {"triple", text, field<&TargetSpec::triple>,
     "LLVM's target triple; absent: this machine's.", "x86_64-linux-gnu"},
    {"cpu", text, field<&TargetSpec::cpu>,
     "LLVM's CPU name; 'host' detects this machine's.", "skylake-avx512"},
    {"features", texts, field<&TargetSpec::features>,
     "CPU features that the code uses and the machine must have.",
     "[avx512f, fma]"},
    {"facts", facts, field<&TargetSpec::facts>,
     "What schedules may know of the target.", "{vector_bits: 512}", optional,
     "[Facts](facts.md) that the library reads have defaults."},
    {"compile", someExpressions, field<&TargetSpec::compile>,
     "The program that makes code of a module; of external targets.",
     "[accel-cc, \"{module}\", -o, \"{program}\"]", optional,
     "[external-backend.md](../external-backend.md); needs `--allow-exec`."},
    {"run", run, field<&TargetSpec::run>, "Where and how its code runs.",
     "{native_on: x86_64}"},
    {"tolerance", targetTolerance, sameOwner, "Bounds for this target.",
     "{dtypes: {float16: {rtol: 1e-2}}}"},
    {"labels", texts, field<&TargetSpec::labels>,
     "Words to find the target by.", "[linux, x86]", optional,
     "What a machine must have to run its code, for `lh-run ci`."},
};
constexpr ChoiceSpec targetChoices[] = {{"backend"}, {"extends"}};
constexpr MappingSpec targetSpec{
    "target", targetKeys, targetChoices,
    "What code is made for, and where it runs. The file's name is the "
    "target's."};

constexpr KeySpec defaultFactsKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"doc", text, {}, "What the facts are of.", "x86-64 with AVX2"},
    {"facts", facts, field<&DefaultFacts::facts>,
     "What targets have that say nothing else.", "{vector_bits: 256}",
     required},
    {"meanings", textMap, field<&DefaultFacts::meanings>,
     "What facts mean, for docs/reference/facts.md; also of facts without a "
     "default.",
     "{vector_bits: width of a vector register}"},
};
constexpr MappingSpec defaultFactsSpec{"file of default facts",
                                       defaultFactsKeys};

} // namespace lh::keys

const lh::MappingSpec &lh::targetMapping() { return keys::targetSpec; }
const lh::MappingSpec &lh::defaultFactsMapping() {
  return keys::defaultFactsSpec;
}
