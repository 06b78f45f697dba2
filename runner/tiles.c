// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Carries out the instructions of AMX (tiles, bytes and bf16) on CPUs that have
   none: each traps as an illegal instruction, and the handler does what the
   manual says in its place. Source: Intel 64 and IA-32 Architectures Software
   Developer's Manual, volume 2, TILELOADD to TDPBUUD; numbers of tdpbf16ps by
   its pseudocode: denormals are zero, sums are rounded to nearest even. */
#define _GNU_SOURCE
#include "lh-runner.h"

#if defined(__x86_64__)
#include <math.h>
#include <string.h>
#include <ucontext.h>

enum { tileCount = 8, tileRows = 16, rowBytes = 64, configBytes = 64 };

/* As LDTILECFG has them; a tile of no rows isn't configured. */
static struct {
  uint8_t palette, startRow, reserved[14];
  uint16_t columnBytes[16];
  uint8_t rows[16];
} config;
static uint8_t tiles[tileCount][tileRows][rowBytes];

_Static_assert(sizeof config == configBytes, "the layout in memory");

/* A VEX instruction of three bytes of prefix. */
struct Instruction {
  uint8_t prefix; /* pp: 0 none, 1 66, 2 F3, 3 F2 */
  uint8_t opcode;
  uint8_t mod, reg, rm; /* with R, X, B put in */
  uint8_t third;        /* vvvv */
  uint8_t base, index, scale;
  int32_t displacement;
  size_t length;
};

static int decode(const uint8_t *code, struct Instruction *in) {
  /* C4, map 0F38; W0, 128 bits. */
  if (code[0] != 0xC4 || (code[1] & 0x1F) != 2 || (code[2] & 0x84) != 0)
    return 0;
  uint8_t r = code[1] & 0x80 ? 0 : 8, x = code[1] & 0x40 ? 0 : 8,
          b = code[1] & 0x20 ? 0 : 8;
  *in = (struct Instruction){.prefix = code[2] & 3,
                             .third = (uint8_t)(~(code[2] >> 3) & 15),
                             .opcode = code[3],
                             .mod = code[4] >> 6,
                             .reg = (uint8_t)((code[4] >> 3 & 7) | r),
                             .rm = (uint8_t)((code[4] & 7) | b),
                             .index = 4,
                             .length = 5};
  if (in->mod == 3)
    return 1;
  in->base = in->rm;
  if ((code[4] & 7) == 4) {
    uint8_t sib = code[in->length++];
    in->scale = sib >> 6;
    in->index = (uint8_t)((sib >> 3 & 7) | x);
    in->base = (uint8_t)((sib & 7) | b);
  }
  if (in->mod == 0 && (in->base & 7) == 5)
    return 0; /* relative to the instruction, or without a base */
  if (in->mod == 1)
    in->displacement = (int8_t)code[in->length++];
  if (in->mod == 2) {
    memcpy(&in->displacement, code + in->length, 4);
    in->length += 4;
  }
  return 1;
}

static uint64_t general(const ucontext_t *context, uint8_t number) {
  static const int places[] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)context->uc_mcontext.gregs[places[number]];
}

/* Where memory operands begin; index 4 is none. */
static uint8_t *addressOf(const ucontext_t *context,
                          const struct Instruction *in) {
  return (uint8_t *)(general(context, in->base) + (uint64_t)in->displacement);
}

/* Bytes from a row to the next. */
static int64_t strideOf(const ucontext_t *context,
                        const struct Instruction *in) {
  return in->index == 4 ? 0
                        : (int64_t)(general(context, in->index) << in->scale);
}

static void move(const ucontext_t *context, const struct Instruction *in,
                 int loads) {
  uint8_t tile = in->reg & 7;
  uint8_t *memory = addressOf(context, in);
  if (loads)
    memset(tiles[tile], 0, sizeof tiles[tile]);
  for (int row = 0; row < config.rows[tile]; ++row) {
    uint8_t *there = memory + row * strideOf(context, in);
    if (loads)
      memcpy(tiles[tile][row], there, config.columnBytes[tile]);
    else
      memcpy(there, tiles[tile][row], config.columnBytes[tile]);
  }
}

static int32_t byteOf(uint8_t byte, int isSigned) {
  return isSigned ? (int8_t)byte : byte;
}

static uint32_t bitsOf(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* A denormal is zero. */
static float flushed(uint32_t bits) {
  if ((bits & 0x7F800000) == 0)
    bits &= 0x80000000;
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* What four bytes by four add to a sum. */
static uint32_t dotOfBytes(const uint8_t *left, const uint8_t *right,
                           const struct Instruction *in) {
  int leftSigned = in->prefix == 3 || in->prefix == 2;
  int rightSigned = in->prefix == 3 || in->prefix == 1;
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum +=
        (uint32_t)(byteOf(left[i], leftSigned) * byteOf(right[i], rightSigned));
  return sum;
}

static float halfAt(const uint8_t *bytes) {
  uint16_t half;
  memcpy(&half, bytes, sizeof half);
  return flushed((uint32_t)half << 16);
}

/* Sums of the even and of the odd numbers, put together at the end. */
static float dotOfHalves(uint8_t left, uint8_t right, int m, int n) {
  float sums[2] = {0, 0};
  for (int k = 0; k < config.columnBytes[left] / 4; ++k)
    for (int i = 0; i < 2; ++i)
      sums[i] = flushed(
          bitsOf(fmaf(halfAt(&tiles[left][m][4 * k + 2 * i]),
                      halfAt(&tiles[right][k][4 * n + 2 * i]), sums[i])));
  return flushed(bitsOf(sums[0] + sums[1]));
}

static uint32_t dot(const struct Instruction *in, uint32_t sum, int m, int n) {
  uint8_t left = in->rm & 7, right = in->third & 7;
  if (in->opcode == 0x5C)
    return bitsOf(
        flushed(bitsOf(flushed(sum) + dotOfHalves(left, right, m, n))));
  for (int k = 0; k < config.columnBytes[left] / 4; ++k)
    sum += dotOfBytes(&tiles[left][m][4 * k], &tiles[right][k][4 * n], in);
  return sum;
}

static void multiply(const struct Instruction *in) {
  uint8_t to = in->reg & 7;
  for (int m = 0; m < config.rows[to]; ++m)
    for (int n = 0; n < config.columnBytes[to] / 4; ++n) {
      uint32_t sum;
      memcpy(&sum, &tiles[to][m][4 * n], sizeof sum);
      sum = dot(in, sum, m, n);
      memcpy(&tiles[to][m][4 * n], &sum, sizeof sum);
    }
}

/* LDTILECFG, TILERELEASE, TILEZERO. */
static int configure(const ucontext_t *context, const struct Instruction *in) {
  if (in->prefix == 0 && in->mod != 3)
    memcpy(&config, addressOf(context, in), sizeof config);
  else if (in->prefix == 0)
    memset(&config, 0, sizeof config);
  else if (in->prefix == 3 && in->mod == 3)
    memset(tiles[in->reg & 7], 0, sizeof tiles[0]);
  else
    return 0;
  if (in->prefix == 0)
    memset(tiles, 0, sizeof tiles);
  return 1;
}

int carryOut(void *where) {
  ucontext_t *context = where;
  const uint8_t *code = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
  struct Instruction in;
  if (!decode(code, &in))
    return 0;
  if (in.opcode == 0x49 && !configure(context, &in))
    return 0;
  if (in.opcode == 0x4B && (in.mod == 3 || in.prefix == 0))
    return 0;
  if (in.opcode == 0x4B)
    move(context, &in, /*loads=*/in.prefix != 2);
  else if ((in.opcode == 0x5E || (in.opcode == 0x5C && in.prefix == 2)) &&
           in.mod == 3)
    multiply(&in);
  else if (in.opcode != 0x49)
    return 0;
  context->uc_mcontext.gregs[REG_RIP] += (greg_t)in.length;
  return 1;
}
#else
int carryOut(void *where) {
  (void)where;
  return 0;
}
#endif
