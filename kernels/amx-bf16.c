/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of bf16 with sums in f32 by AMX: 32 rows by 32 columns of sums in four
 * tiles. Tiles want pairs of B's rows side by side, which a call arranges for all
 * of its rows; so calls have many. Source: Intel 64 and IA-32 Architectures
 * Software Developer's Manual, "TDPBF16PS". */
#include "gemm.h"

#include <immintrin.h>

#define SIDE 16 /* rows and columns of a tile of sums */
#define TERMS 32 /* of bf16 in a row of a tile */

/* As `ldtilecfg` reads it. */
typedef struct {
  uint8_t palette, start, reserved[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} __attribute__((aligned(64))) Configuration;

/* Sums in tiles 0 to 3, two rows of tiles of A in 4 and 5, B in 6 and 7; `above`
 * and `below` rows of them count. */
INLINE void configure(int above, int below) {
  Configuration all = {.palette = 1};
  for (int tile = 0; tile < 8; ++tile) {
    all.bytes[tile] = 64;
    all.rows[tile] = SIDE;
  }
  all.rows[0] = all.rows[1] = all.rows[4] = (uint8_t)above;
  all.rows[2] = all.rows[3] = all.rows[5] = (uint8_t)below;
  _tile_loadconfig(&all);
}

/* pairs[k / 2][32][2] of B's columns from `first` on, zeros behind the n-th. */
INLINE void pair(int64_t n, int64_t k, const uint16_t *b, int64_t ldb,
                 uint16_t *pairs) {
  for (int64_t l = 0; l < k; l += 2)
    for (int64_t j = 0; j < 2 * SIDE; ++j) {
      pairs[(l * 2 * SIDE) + 2 * j] = j < n ? b[l * ldb + j] : 0;
      pairs[(l * 2 * SIDE) + 2 * j + 1] = j < n ? b[(l + 1) * ldb + j] : 0;
    }
}

/* `rows` of a tile's sums to C, n columns of them. */
INLINE void copy_out(const float *sums, int rows, int64_t n, float *c,
                     int64_t ldc) {
  for (int i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n && j < SIDE; ++j)
      c[i * ldc + j] = sums[i * SIDE + j];
}

/* Up to 32 rows by up to 32 columns, whole sums. */
INLINE void block(int above, int below, int64_t n, int64_t k,
                  const uint16_t *a, int64_t lda, const uint16_t *pairs,
                  float *c, int64_t ldc) {
  const uint16_t *low = a + above * lda;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t l = 0; l < k; l += TERMS) {
    _tile_loadd(6, pairs + l * 2 * SIDE, 4 * TERMS);
    _tile_loadd(7, pairs + l * 2 * SIDE + TERMS, 4 * TERMS);
    _tile_loadd(4, a + l, 2 * lda);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (below > 0) {
      _tile_loadd(5, low + l, 2 * lda);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  float sums[4][SIDE * SIDE] __attribute__((aligned(64)));
  _tile_stored(0, sums[0], 4 * SIDE);
  _tile_stored(1, sums[1], 4 * SIDE);
  copy_out(sums[0], above, n, c, ldc);
  copy_out(sums[1], above, n - SIDE, c + SIDE, ldc);
  if (below == 0)
    return;
  _tile_stored(2, sums[2], 4 * SIDE);
  _tile_stored(3, sums[3], 4 * SIDE);
  copy_out(sums[2], below, n, c + above * ldc, ldc);
  copy_out(sums[3], below, n - SIDE, c + above * ldc + SIDE, ldc);
}

void gemm_bf16(LH_GEMM(uint16_t, float)) {
  uint16_t pairs[k * 2 * SIDE] __attribute__((aligned(64)));
  for (int64_t j = 0; j < n; j += 2 * SIDE) {
    pair(n - j, k, b + j, ldb, pairs);
    configure(SIDE, SIDE);
    int64_t i = 0;
    for (; i + 2 * SIDE <= m; i += 2 * SIDE)
      block(SIDE, SIDE, n - j, k, a + i * lda, lda, pairs, c + i * ldc + j,
            ldc);
    if (i == m)
      continue;
    int above = m - i < SIDE ? (int)(m - i) : SIDE;
    int below = (int)(m - i) - above;
    configure(above, below > 0 ? below : 1);
    block(above, below, n - j, k, a + i * lda, lda, pairs, c + i * ldc + j, ldc);
  }
  _tile_release();
}
