// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words: 32 or 64 bits that hold consecutive narrow numbers, bytes or bf16.
#ifndef LH_COMPILER_GAPS_PRODUCTS_WORDS_H
#define LH_COMPILER_GAPS_PRODUCTS_WORDS_H

#include "mlir/IR/Builders.h"

namespace lh {

enum class WordKind { Bytes, Halves };

/// What the words of a product hold.
struct WordFormat {
  WordKind kind = WordKind::Bytes;
  int64_t bits = 32;
  /// Of bytes; x86's instructions take them so.
  bool isLeftSigned = false, isRightSigned = true;

  int64_t numberBits() const { return kind == WordKind::Bytes ? 8 : 16; }
  /// Numbers in a word.
  int64_t length() const { return bits / numberBits(); }
  bool operator==(const WordFormat &) const = default;
};

/// A body's expression: `sum` plus the dot product of two words. Bytes sum up
/// in i32, bf16 in f32. lh-lower-words finds it again by its form.
mlir::Value addDotOfWords(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value sum, mlir::Value left, mlir::Value right,
                          const WordFormat &format);

/// `sum` plus the bytes of `word`, signed or not.
mlir::Value addBytes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value sum, mlir::Value word, bool isSigned);

/// The word of nothing but this byte.
mlir::Value spreadByte(mlir::OpBuilder &builder, mlir::Location loc,
                       const llvm::APInt &byte, int64_t bits);

/// A tensor of bytes or bf16 with the numbers along `dim`, of static size,
/// packed into words of `bits`: the last word is filled up with zero bits.
/// `flip` turns each byte's sign bit over.
mlir::Value packWords(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, unsigned dim, int64_t bits,
                      bool flip);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_WORDS_H
