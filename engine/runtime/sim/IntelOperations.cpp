// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a subgroup do together: OpenCL's extensions
// cl_khr_subgroup_shuffle and cl_intel_subgroup_matrix_multiply_accumulate.
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/MatrixElements.h"
#include "runtime/sim/OpenCl.h"

using namespace lh;

using Reach = SimOperation::Reach;

/// Each lane gets the first argument of the lane that `source` names, by its
/// own number and the second argument. Of a lane that isn't there the result is
/// undefined.
static SimOperation shuffle(unsigned (*source)(unsigned lane, uint32_t by)) {
  return SimOperation::of(Reach::Active, [=](const SimGathering &lanes) {
    std::vector<uint64_t> values(lanes.size());
    for (unsigned lane = 0; lane < lanes.size(); ++lane)
      if (lanes.lanes[lane])
        values[lane] = lanes.get<uint64_t>(lane, 0);
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
      if (!lanes.lanes[lane])
        continue;
      unsigned from = source(lane, lanes.get<uint32_t>(lane, 1));
      if (from >= lanes.size() || !lanes.lanes[from])
        return lanes.block.fail(DiagKind::BackendDivergentCollective,
                                lanes.lanes[lane], lanes.call(lane).site,
                                "it reads from lane " + Twine(from) +
                                    ", which doesn't take part");
      lanes.put(lane, values[from]);
    }
  });
}

static std::optional<SimOperation> findShuffle(StringRef name) {
  if (!name.consume_front("sub_group_shuffle"))
    return std::nullopt;
  if (name.empty())
    return shuffle([](unsigned, uint32_t by) -> unsigned { return by; });
  if (name == "_xor")
    return shuffle([](unsigned lane, uint32_t by) { return lane ^ by; });
  if (name == "_up")
    return shuffle([](unsigned lane, uint32_t by) { return lane - by; });
  if (name == "_down")
    return shuffle([](unsigned lane, uint32_t by) { return lane + by; });
  return std::nullopt;
}

/// D = A B + C of 8 x 16 x `length`, by 16 lanes: a lane has a column of B and
/// C, and 16 bits of each row of A; B's numbers fill words.
template <typename Sum, MatrixElement type>
static void multiplyMatrices(const SimGathering &lanes) {
  constexpr unsigned rows = 8, columns = 16;
  const unsigned perLane = 16 / bitsOf(type), length = columns * perLane;
  if (lanes.size() != columns)
    return lanes.block.fail(
        DiagKind::BackendDeviceFault, lanes.lanes[0], lanes.call(0).site,
        "a subgroup of " + Twine(lanes.size()) +
            " lanes multiplies, it takes " + Twine(columns));
  auto a = [&](unsigned row, unsigned k) {
    return readElement<Sum>(type, lanes.call(k / perLane).at(0),
                            row * perLane + k % perLane);
  };
  for (unsigned lane = 0; lane < columns; ++lane)
    for (unsigned row = 0; row < rows; ++row) {
      Sum sum = lanes.get<Sum>(lane, 2, row * sizeof(Sum));
      for (unsigned k = 0; k < length; ++k)
        sum += a(row, k) * readElement<Sum>(type, lanes.call(lane).at(1), k);
      lanes.put(lane, sum, row * sizeof(Sum));
    }
}

/// The instruction `dpas`, whose subgroups have 16 lanes on Xe HPC; those of 8
/// on Xe HPG aren't simulated.
static std::optional<SimOperation> findMatrix(StringRef name,
                                              const SimChip &chip) {
  using E = MatrixElement;
  if (chip.name != "pvc")
    return std::nullopt;
  if (name == "intel_sub_group_f16_f16_matrix_mad_k16")
    return SimOperation::of(Reach::Warp, multiplyMatrices<float, E::F16>);
  if (name == "intel_sub_group_bf16_bf16_matrix_mad_k16")
    return SimOperation::of(Reach::Warp, multiplyMatrices<float, E::BF16>);
  if (name == "intel_sub_group_i8_i8_matrix_mad_k32")
    return SimOperation::of(Reach::Warp, multiplyMatrices<int32_t, E::S8>);
  return std::nullopt;
}

std::optional<SimOperation> lh::findIntelOperation(const SimOperationName &name,
                                                   const SimChip &chip) {
  if (chip.vendor != SimChip::Vendor::Intel)
    return std::nullopt;
  StringRef function = openClFunction(name.name);
  if (auto operation = findShuffle(function))
    return operation;
  return findMatrix(function, chip);
}
