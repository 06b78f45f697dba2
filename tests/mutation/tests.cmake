# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A pass plugin that makes one mistake, and the suite that counts which of them
# the checks find.
add_library(mutation-plugin MODULE
  mutation/Changes.cpp
  mutation/DeviceOperators.cpp
  mutation/IndexOperators.cpp
  mutation/LoopOperators.cpp
  mutation/MemoryOperators.cpp
  mutation/MutatePass.cpp
  mutation/NumberOperators.cpp
  mutation/ScalarOperators.cpp)
target_link_libraries(mutation-plugin PRIVATE lh_warnings MLIR LLVM)
set_target_properties(mutation-plugin PROPERTIES
  PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# The interpreter that Debian's python3-onnx and python3-yaml belong to.
function(lh_mutation_test name script label)
  add_test(NAME ${name}
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/mutation/${script}.py
            $<TARGET_FILE:lh-run> ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 7200 LABELS "${label}")
endfunction()

set(LH_MUTATION_PLUGIN $<TARGET_FILE:mutation-plugin>)
lh_mutation_test(mutation-sample mutation "" ${LH_MUTATION_PLUGIN}
  --mutants 40 --cases matmul-f32 conv-padded pool-max softmax-f32
  normalization-layer elementwise-where quantised-linear scatter-nd)
lh_mutation_test(mutation mutation full ${LH_MUTATION_PLUGIN} --mutants 300)
lh_mutation_test(mutation-sparse-sample mutation "" ${LH_MUTATION_PLUGIN}
  --mutants 30 --manifest sparse-to-cpu)
lh_mutation_test(mutation-sparse mutation full ${LH_MUTATION_PLUGIN}
  --mutants 300 --manifest sparse-to-cpu)
# ... and which of them lh-run bisect names.
lh_mutation_test(blame-sample blame "" ${LH_MUTATION_PLUGIN}
  --mutants 8 --cases matmul-f32 softmax-f32 elementwise-where scatter-nd)
lh_mutation_test(blame blame full ${LH_MUTATION_PLUGIN} --mutants 200)
lh_mutation_test(false-alarms-sample false_alarms "" --models 36)
lh_mutation_test(false-alarms false_alarms full --models 1000)
# Of kernels, on simulated devices.
lh_mutation_test(device-mutation-sample device "" ${LH_MUTATION_PLUGIN}
  --mutants 7 --schedules 4 --only cuda/cuda-sm80/f32 rocm/rocm-gfx942/f16)
lh_mutation_test(device-mutation device full ${LH_MUTATION_PLUGIN}
  --mutants 120 --schedules 20 --shipped)
