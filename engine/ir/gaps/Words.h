// Words: 32 bits that hold consecutive narrow numbers, four bytes or two bf16.
#ifndef LH_IR_GAPS_WORDS_H
#define LH_IR_GAPS_WORDS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace lh {

enum class WordKind { Bytes, Halves };

/// Numbers in a word.
inline int64_t wordLength(WordKind kind) {
  return kind == WordKind::Bytes ? 4 : 2;
}

/// A body's expression: `sum` plus the dot product of two words. Bytes are
/// unsigned in `left` and signed in `right`, and sum up in i32; halves are bf16
/// and sum up in f32. lh-lower-words finds it again by its form.
mlir::Value addDotOfWords(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value sum, mlir::Value left, mlir::Value right,
                          WordKind kind);

/// `sum` plus the four bytes of `word`, signed or not.
mlir::Value addBytes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value sum, mlir::Value word, bool isSigned);

/// A tensor of bytes or bf16 with the numbers along `dim`, of static size,
/// packed into words: the last word is filled up with zero bits. `flip` turns
/// each byte's sign bit over.
mlir::Value packWords(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, unsigned dim, bool flip);

} // namespace lh

#endif // LH_IR_GAPS_WORDS_H
