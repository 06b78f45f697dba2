// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module before and after a step, and what changed in it.
#ifndef LH_INSIGHT_REPORT_PAGE_MODULETEXT_H
#define LH_INSIGHT_REPORT_PAGE_MODULETEXT_H

#include "insight/report/page/Blobs.h"
#include "insight/report/page/PageData.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace lh {

/// Reads snapshots as they are needed. Data and blobs are borrowed.
class ModuleTexts {
public:
  ModuleTexts(const PageData &data, Blobs &blobs) : data(data), blobs(blobs) {}

  /// Writes how the step changed the module; false, and nothing, where no
  /// snapshot tells.
  bool write(const StepPlace &place, llvm::raw_ostream &out);

private:
  struct Snapshot {
    std::unique_ptr<llvm::MemoryBuffer> buffer; ///< null: can't be read
    std::string blob; ///< its id; empty: the page has no room
    StringRef text() const {
      return buffer ? buffer->getBuffer() : StringRef();
    }
  };
  const Snapshot &load(const std::string &path);
  /// The step's own, or what the nearest one before it left.
  std::string snapshotBefore(const StepPlace &place) const;
  void writeSide(const char *name, const Snapshot &snapshot,
                 llvm::raw_ostream &out);

  const PageData &data;
  Blobs &blobs;
  std::map<std::string, Snapshot> snapshots;
};

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_MODULETEXT_H
