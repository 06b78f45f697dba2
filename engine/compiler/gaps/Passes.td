// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All gap passes.
include "compiler/gaps/products/Passes.td"
include "compiler/gaps/windows/Passes.td"
include "compiler/gaps/rows/Passes.td"
include "compiler/gaps/memory/Passes.td"
include "compiler/gaps/sparse/Passes.td"
include "compiler/gaps/gpu/Passes.td"
include "compiler/gaps/oracle/Passes.td"
include "compiler/gaps/upstream-fixes/Passes.td"
