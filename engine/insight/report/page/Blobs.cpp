// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a page that are seldom looked at, compressed.
#include "insight/report/page/Blobs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

#include <cassert>

using namespace lh;

bool Blobs::canCompress() { return llvm::compression::zlib::isAvailable(); }

bool Blobs::add(const std::string &id, llvm::StringRef text, size_t mostBytes) {
  if (!canCompress())
    return false;
  llvm::SmallVector<uint8_t> compressed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(text),
                                    compressed);
  std::string base64 = llvm::encodeBase64(compressed);
  if (bytes + base64.size() > mostBytes)
    return false;
  bytes += base64.size();
  pieces.push_back({id, std::move(base64)});
  return true;
}

void Blobs::write(llvm::raw_ostream &out) const {
  for (const Piece &piece : pieces)
    out << "<script type=\"application/zlib\" id=\"" << piece.id << "\">"
        << piece.base64 << "</script>\n";
}
