// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module before and after a step, and what changed in it.
#include "insight/report/page/ModuleText.h"

#include "core/support/FileSystem.h"
#include "insight/report/page/Html.h"
#include "insight/report/page/TextDiff.h"

#include <algorithm>

using namespace lh;
using llvm::raw_ostream;

/// Texts are compared and kept up to this size.
constexpr size_t mostText = 4'000'000;
/// What all of them may take of a page, compressed.
constexpr size_t mostBlobs = 1'600'000;

const ModuleTexts::Snapshot &ModuleTexts::load(const std::string &path) {
  auto [known, isNew] = snapshots.try_emplace(path);
  Snapshot &snapshot = known->second;
  if (!isNew)
    return snapshot;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return snapshot;
  snapshot.buffer = std::move(*buffer);
  std::string id = "module-" + std::to_string(snapshots.size());
  if (snapshot.text().size() <= mostText &&
      blobs.add(id, snapshot.text(), mostBlobs))
    snapshot.blob = id;
  return snapshot;
}

std::string ModuleTexts::snapshotBefore(const StepPlace &place) const {
  const std::vector<SavedStep> &steps = data.runs[place.run].steps;
  for (std::optional<size_t> id = steps[place.step].parent; id;
       id = steps[*id].parent)
    if (!steps[*id].snapshot.empty())
      return steps[*id].snapshot;
  return "";
}

/// What the page can't show as a whole is named as a file.
void ModuleTexts::writeSide(const char *name, const Snapshot &snapshot,
                            raw_ostream &out) {
  if (!snapshot.blob.empty())
    out << " data-" << name << "=\"" << snapshot.blob << '"';
}

/// Maps and other attributes at the head of a module: each new one moves all.
static bool isAlias(const DiffLine &line) { return line.text.starts_with("#"); }

/// The lines that changed, each with its neighbours; at most `most` lines.
static void writeHunks(ArrayRef<DiffLine> lines, size_t most,
                       raw_ostream &out) {
  constexpr size_t context = 3;
  std::vector<bool> isShown(lines.size(), false);
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].side != DiffSide::Both && !isAlias(lines[i]))
      std::fill(isShown.begin() + ptrdiff_t(i - std::min(i, context)),
                isShown.begin() +
                    ptrdiff_t(std::min(i + context + 1, lines.size())),
                true);
  for (size_t i = 0; i < lines.size(); ++i)
    isShown[i] = isShown[i] && !isAlias(lines[i]);
  size_t shown = 0;
  out << "<pre class=\"diff\"><code>";
  for (size_t i = 0; i < lines.size() && shown < most; ++i) {
    if (!isShown[i])
      continue;
    if (i > 0 && !isShown[i - 1])
      out << "<i class=\"gap\">@@ line "
          << std::max(lines[i].after, lines[i].before) << "\n</i>";
    ++shown;
    if (lines[i].side == DiffSide::Both)
      out << ' ' << Html{lines[i].text.str()} << '\n';
    else if (lines[i].side == DiffSide::After)
      out << "<ins>+" << Html{lines[i].text.str()} << "\n</ins>";
    else
      out << "<del>-" << Html{lines[i].text.str()} << "\n</del>";
  }
  out << "</code></pre>";
  auto left = std::count(isShown.begin(), isShown.end(), true);
  if (size_t(left) > shown)
    out << "<p class=\"note\">" << countText(int64_t(size_t(left) - shown))
        << " more lines of the difference are left out; the texts before and "
           "after are whole.</p>";
}

static void writeDifference(StringRef before, StringRef after,
                            raw_ostream &out) {
  if (std::max(before.size(), after.size()) > mostText)
    return;
  std::optional<std::vector<DiffLine>> lines = diffLines(before, after);
  if (!lines) {
    out << "<p class=\"note\">Almost every line changed ("
        << countText(int64_t(before.count('\n'))) << " to "
        << countText(int64_t(after.count('\n'))) << " lines).</p>";
    return;
  }
  auto count = [&](DiffSide side) {
    return std::count_if(lines->begin(), lines->end(), [&](const DiffLine &l) {
      return l.side == side && !isAlias(l);
    });
  };
  out << "<p class=\"line\"><ins>+" << countText(count(DiffSide::After))
      << "</ins> <del>\xE2\x88\x92" << countText(count(DiffSide::Before))
      << "</del> lines, not counting new numbers of values; attributes at the "
         "head are left out</p>";
  constexpr size_t mostShown = 300;
  writeHunks(*lines, mostShown, out);
}

/// The path as the record has it.
static std::string nameBeside(const std::string &record, StringRef path) {
  path.consume_front(folderOf(record) + "/");
  return path.str();
}

bool ModuleTexts::write(const StepPlace &place, raw_ostream &out) {
  const SavedStep &step = data.step(place);
  if (step.snapshot.empty())
    return false;
  std::string beforePath = snapshotBefore(place);
  static const Snapshot none;
  const Snapshot &after = load(step.snapshot);
  const Snapshot &before = beforePath.empty() ? none : load(beforePath);
  out << "<figure class=\"module\"";
  writeSide("before", before, out);
  writeSide("after", after, out);
  out << "><figcaption><b>IR</b> of step " << place.step << " <code>"
      << Html{nameBeside(data.runs[place.run].record, step.snapshot)}
      << "</code></figcaption>";
  if (!after.buffer) {
    out << "<p class=\"warn\">This snapshot can't be read.</p></figure>\n";
    return true;
  }
  if (before.buffer)
    writeDifference(before.text(), after.text(), out);
  if (after.blob.empty())
    out << "<p class=\"note\">The page has no room for the whole text ("
        << bytesText(static_cast<double>(after.text().size()))
        << "); it is in the file.</p>";
  out << "</figure>\n";
  return true;
}
