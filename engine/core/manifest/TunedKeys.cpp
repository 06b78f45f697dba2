// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of files of measured choices.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

constexpr ValueSpec extents{.form = Form::List, .element = &integer};
constexpr ValueSpec tunedFlag{.form = Form::Boolean};
constexpr ValueSpec someScalars{
    .form = Form::MapOf, .element = &scalar, .nonEmpty = true};
constexpr KeySpec tunedForKeys[] = {
    {"product", text, field<&TunedEntry::about, &ProductKey::loops>,
     "The roles of an op's loops: b, m, n, k.", "mnk"},
    {"sizes", extents, field<&TunedEntry::about, &ProductKey::sizes>,
     "The size of each loop; -1 where it is open.", "[33, 65, 129]",
     needs("product")},
    {"types", texts, field<&TunedEntry::about, &ProductKey::types>,
     "The element types of A, B and C.", "[f32, f32, f32]", needs("product")},
    {"weights", tunedFlag, field<&TunedEntry::about, &ProductKey::fromWeights>,
     "Whether B is computed from weights and constants alone.", "true",
     needs("product")},
    {"steps", extents, field<&TunedEntry::about, &ProductKey::steps>,
     "Of a convolution: its strides, then its dilations.", "[1, 1, 1, 1]",
     needs("product")},
    {"pipeline", text, field<&TunedEntry::about, &TunedPath::pipeline>,
     "A pipeline of the manifest.", "optimized"},
    {"case", text, field<&TunedEntry::about, &TunedPath::caseName>,
     "And one of its cases.", "odd", needs("pipeline")},
};
constexpr ChoiceSpec tunedForChoices[] = {{"product"}, {"pipeline"}};
constexpr MappingSpec tunedForMapping{
    "tuned op", tunedForKeys, tunedForChoices,
    "`lh-run list --choices` shows these keys of each op."};
constexpr ValueSpec tunedFor = keysOf(tunedForMapping);

constexpr KeySpec tunedGainKeys[] = {
    {"median", bound, field<&TunedGain::median>,
     "Of the ratios of neighbouring turns.", "1.19", required},
    {"low", bound, field<&TunedGain::low>, "Its lower bound.", "1.13",
     required},
    {"high", bound, field<&TunedGain::high>, "Its upper bound.", "1.24",
     required},
};
constexpr MappingSpec tunedGainMapping{"gain", tunedGainKeys};
constexpr ValueSpec tunedGain = keysOf(tunedGainMapping);
constexpr KeySpec tunedSeenKeys[] = {
    {"cpu", text, field<&TunedEntry::seen, &TunedEvidence::cpu>,
     "LLVM's name of the CPU.", "sapphirerapids"},
    {"l2_bytes", count, field<&TunedEntry::seen, &TunedEvidence::cacheBytes>,
     "Its second-level cache.", "2097152"},
    {"lh-run", text, field<&TunedEntry::seen, &TunedEvidence::lhRun>,
     "The version of lh-run.", "\"0.1.0\""},
    {"llvm", text, field<&TunedEntry::seen, &TunedEvidence::llvm>,
     "And of LLVM.", "\"22.1.8\""},
    {"trials", count, field<&TunedEntry::seen, &TunedEvidence::trials>,
     "How many choices were tried.", "40"},
    {"date", text, field<&TunedEntry::seen, &TunedEvidence::date>, "The day.",
     "2026-11-28"},
};
constexpr MappingSpec tunedSeenMapping{"evidence", tunedSeenKeys};
constexpr ValueSpec tunedSeen = keysOf(tunedSeenMapping);
constexpr KeySpec tunedEntryKeys[] = {
    {"for", tunedFor, sameOwner, "Which ops, or which path, it is about.",
     "{product: mnk, sizes: [33, 65, 129], types: [f32, f32, f32]}", required},
    {"use", someScalars, field<&TunedEntry::use>,
     "Of an op: the strategy and its numbers. Of a path: values of its "
     "bubbles' "
     "parameters and knobs, `BUBBLE.NAME`.",
     "{strategy: tile, rows: 23, columns: 16, block: 16}", required},
    {"gain", tunedGain, field<&TunedEntry::gain>,
     "How many times as fast as without it.",
     "{median: 1.19, low: 1.13, high: 1.24}"},
    {"seen", tunedSeen, sameOwner, "What it was measured by.",
     "{cpu: sapphirerapids, trials: 40}"},
};
constexpr MappingSpec tunedEntryMapping{"tuned entry", tunedEntryKeys};
constexpr ValueSpec tunedEntry = keysOf(tunedEntryMapping);
constexpr ValueSpec tunedEntries = listOf(tunedEntry);
constexpr KeySpec tunedKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"target", text, field<&TunedSpec::target>,
     "The target whose choices these are.", "x86-avx512", required},
    {"tuned", tunedEntries, field<&TunedSpec::entries>, "The choices.",
     "[{for: {pipeline: plain}, use: {tile.rows: 4}}]", required},
};
constexpr MappingSpec tunedSpec{
    "tuned file", tunedKeys, noChoice,
    "Choices that `lh-run tune` has measured; [tuning.md](../tuning.md). An "
    "entry that no longer fits is an error."};

} // namespace lh::keys

const lh::MappingSpec &lh::tunedMapping() { return keys::tunedSpec; }
