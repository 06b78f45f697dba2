// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a page that are seldom looked at, compressed.
#ifndef LH_INSIGHT_REPORT_PAGE_BLOBS_H
#define LH_INSIGHT_REPORT_PAGE_BLOBS_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace lh {

/// Collects pieces, each with the id by which page.js finds it.
class Blobs {
public:
  /// Whether this build can compress; else nothing may be added.
  static bool canCompress();

  /// Keeps `text`, unless all pieces would then take more than `mostBytes` on
  /// the page: then it returns false.
  bool add(const std::string &id, llvm::StringRef text, size_t mostBytes);

  /// Bytes that all take on the page.
  size_t size() const { return bytes; }

  void write(llvm::raw_ostream &out) const;

private:
  struct Piece {
    std::string id, base64;
  };
  std::vector<Piece> pieces;
  size_t bytes = 0;
};

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_BLOBS_H
