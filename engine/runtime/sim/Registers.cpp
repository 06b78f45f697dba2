// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special registers of threads, and instructions that only matter to hardware.
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/OpenCl.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace lh;

using Reader = uint64_t (*)(const SimThread &, unsigned dimension);

static uint64_t linearBlock(const SimThread &thread) {
  const SimBlock &block = *thread.block;
  const auto &grid = block.launch().shape.grid;
  const SimPosition &at = block.position();
  return at[0] + grid[0] * (at[1] + grid[1] * at[2]);
}

static uint64_t clockTicks() {
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch().count());
}

static constexpr struct {
  StringRef name;
  Reader read;
} ofDimension[] = {
    {"tid.",
     [](const SimThread &t, unsigned d) -> uint64_t { return t.id[d]; }},
    {"ctaid.",
     [](const SimThread &t, unsigned d) -> uint64_t {
       return t.block->position()[d];
     }},
    {"ntid.", [](const SimThread &t,
                 unsigned d) { return t.block->launch().shape.block[d]; }},
    {"nctaid.", [](const SimThread &t,
                   unsigned d) { return t.block->launch().shape.grid[d]; }},
    {"clusterid.",
     [](const SimThread &t, unsigned d) -> uint64_t {
       return t.block->position()[d];
     }},
    {"nclusterid.", [](const SimThread &t,
                       unsigned d) { return t.block->launch().shape.grid[d]; }},
    {"cluster.ctaid.",
     [](const SimThread &, unsigned) -> uint64_t { return 0; }},
    {"cluster.nctaid.",
     [](const SimThread &, unsigned) -> uint64_t { return 1; }},
};

static constexpr struct {
  StringRef name;
  Reader read;
} single[] = {
    {"laneid", [](const SimThread &t, unsigned) -> uint64_t { return t.lane; }},
    {"warpid", [](const SimThread &t, unsigned) -> uint64_t { return t.warp; }},
    {"nwarpid",
     [](const SimThread &t, unsigned) -> uint64_t {
       return (t.block->threads().size() + 31) / 32;
     }},
    {"warpsize", [](const SimThread &, unsigned) -> uint64_t { return 32; }},
    {"smid", [](const SimThread &t, unsigned) { return linearBlock(t) % 108; }},
    {"nsmid", [](const SimThread &, unsigned) -> uint64_t { return 108; }},
    {"gridid", [](const SimThread &, unsigned) -> uint64_t { return 1; }},
    {"clock", [](const SimThread &, unsigned) { return clockTicks(); }},
    {"clock64", [](const SimThread &, unsigned) { return clockTicks(); }},
    {"globaltimer", [](const SimThread &, unsigned) { return clockTicks(); }},
    {"cluster.ctarank",
     [](const SimThread &, unsigned) -> uint64_t { return 0; }},
    {"cluster.nctarank",
     [](const SimThread &, unsigned) -> uint64_t { return 1; }},
    {"lanemask.eq",
     [](const SimThread &t, unsigned) -> uint64_t {
       return uint64_t(1) << t.lane;
     }},
    {"lanemask.lt",
     [](const SimThread &t, unsigned) -> uint64_t {
       return (uint64_t(1) << t.lane) - 1;
     }},
    {"lanemask.le",
     [](const SimThread &t, unsigned) -> uint64_t {
       return (uint64_t(2) << t.lane) - 1;
     }},
    {"lanemask.gt",
     [](const SimThread &t, unsigned) -> uint64_t {
       return ~((uint64_t(2) << t.lane) - 1);
     }},
    {"lanemask.ge",
     [](const SimThread &t, unsigned) -> uint64_t {
       return ~((uint64_t(1) << t.lane) - 1);
     }},
};

/// Results are 32 or 64 bits wide; the frame has room for the wider.
static SimOperation reading(Reader read, unsigned dimension) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    call.put(read(thread, dimension));
  });
}

static std::optional<SimOperation> findSpecialRegister(StringRef text) {
  for (const auto &known : ofDimension)
    if (text.starts_with(known.name) && text.size() == known.name.size() + 1 &&
        text.back() >= 'x' && text.back() <= 'z')
      return reading(known.read, static_cast<unsigned>(text.back() - 'x'));
  for (const auto &known : single)
    if (text == known.name)
      return reading(known.read, 0);
  return std::nullopt;
}

/// Orders or hints that have no effect where one thread runs at a time and
/// memory has one view.
static bool isWithoutEffect(StringRef text) {
  static constexpr StringRef prefixes[] = {"llvm.nvvm.membar.",
                                           "llvm.nvvm.fence.",
                                           "llvm.nvvm.nanosleep",
                                           "llvm.nvvm.prefetch",
                                           "llvm.nvvm.griddepcontrol.",
                                           "llvm.nvvm.setmaxnreg.",
                                           "llvm.nvvm.cp.async.bulk.prefetch.",
                                           "llvm.nvvm.discard",
                                           "llvm.nvvm.applypriority",
                                           "llvm.amdgcn.s.waitcnt",
                                           "llvm.amdgcn.s.sleep",
                                           "llvm.amdgcn.s.setprio",
                                           "llvm.amdgcn.sched.",
                                           "llvm.amdgcn.iglp.opt",
                                           "llvm.amdgcn.s.wait.",
                                           "llvm.amdgcn.s.nop",
                                           "llvm.amdgcn.wave.barrier",
                                           "llvm.amdgcn.fence"};
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return text.starts_with(prefix); });
}

static SimOperation trapping() {
  return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
    thread.block->fail(DiagKind::BackendDeviceFault, &thread, call.site,
                       "the kernel ends itself with a trap");
  });
}

static std::optional<SimOperation> findAmdRegister(StringRef text) {
  constexpr struct {
    StringRef amd, same;
  } names[] = {{"workitem.id.", "tid."}, {"workgroup.id.", "ctaid."}};
  for (const auto &each : names)
    if (text.starts_with(each.amd))
      return findSpecialRegister(
          (each.same + text.substr(each.amd.size())).str());
  if (text == "wavefrontsize")
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      call.put(thread.block->wave());
    });
  return std::nullopt;
}

/// OpenCL C's functions of a dimension, which ROCm's kernel library has, too.
static std::optional<SimOperation> findOfDimension(StringRef text) {
  constexpr struct {
    StringRef name, same;
  } names[] = {{"get_local_id", "tid."},
               {"get_group_id", "ctaid."},
               {"get_local_size", "ntid."},
               {"get_num_groups", "nctaid."}};
  for (const auto &each : names)
    if (text == each.name)
      for (const auto &known : ofDimension)
        if (known.name == each.same) {
          Reader read = known.read;
          return SimOperation::ofThread(
              [read](SimThread &thread, const SimCall &call) {
                call.put(read(thread, call.get<uint32_t>(0) % 3));
              });
        }
  return std::nullopt;
}

static std::optional<SimOperation> findOpenClRegister(StringRef text) {
  if (text == "get_global_id")
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      unsigned d = call.get<uint32_t>(0) % 3;
      const SimBlock &block = *thread.block;
      call.put(block.position()[d] * block.launch().shape.block[d] +
               thread.id[d]);
    });
  if (text == "get_sub_group_local_id")
    return findSpecialRegister("laneid");
  if (text == "get_sub_group_id")
    return findSpecialRegister("warpid");
  return findOfDimension(text);
}

std::optional<SimOperation> lh::findRegister(const SimOperationName &name,
                                             const SimChip &) {
  StringRef text = name.name;
  if (isWithoutEffect(text))
    return SimOperation::ofThread([](SimThread &, const SimCall &) {});
  if (text == "llvm.trap" || text == "llvm.debugtrap" ||
      text.starts_with("__assert"))
    return trapping();
  if (text.consume_front("llvm.nvvm.read.ptx.sreg."))
    return findSpecialRegister(text);
  if (text.consume_front("llvm.amdgcn."))
    return findAmdRegister(text);
  if (text.consume_front("__ockl_"))
    return findOfDimension(text);
  return findOpenClRegister(openClFunction(text));
}
