# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the fuzzers with clang in build/fuzz, lays out their seeds, runs each
# for a while: seconds in the quick tier, minutes under the label 'full'.
set(LH_FUZZ_BUILD ${CMAKE_BINARY_DIR}/fuzz)
set(LH_FUZZ_SEEDS ${CMAKE_BINARY_DIR}/fuzz-seeds)
set(LH_FUZZ_SECONDS 10)
set(LH_FUZZ_SECONDS_FULL 300)

find_program(LH_FUZZ_CLANG clang++-22)
if(NOT LH_FUZZ_CLANG)
  add_test(NAME fuzz-build
    COMMAND sh -c "echo 'skipped: clang++-22 is not installed'; exit 77")
  set_tests_properties(fuzz-build PROPERTIES SKIP_RETURN_CODE 77)
  return()
endif()

add_test(NAME fuzz-configure
  COMMAND ${CMAKE_COMMAND} --preset fuzz -B ${LH_FUZZ_BUILD}
          -DCMAKE_CXX_COMPILER=${LH_FUZZ_CLANG}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME fuzz-build
  COMMAND ${CMAKE_COMMAND} --build ${LH_FUZZ_BUILD} --target fuzzers)
add_test(NAME fuzz-seeds
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/make-seeds.py
          ${LH_FUZZ_SEEDS})
# The interpreter that Debian's python3-onnx belongs to.
add_test(NAME fuzz-make-variants
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/make-variants.py
          ${LH_FUZZ_SEEDS}/fuzz-importer/seeds ${LH_FUZZ_SEEDS}/variants)
set_tests_properties(fuzz-make-variants PROPERTIES
  FIXTURES_REQUIRED fuzz-seeded FIXTURES_SETUP fuzz-variants-made)
set_tests_properties(fuzz-configure PROPERTIES FIXTURES_SETUP fuzz-configured)
set_tests_properties(fuzz-build PROPERTIES TIMEOUT 1800
  FIXTURES_REQUIRED fuzz-configured FIXTURES_SETUP fuzz-built)
set_tests_properties(fuzz-seeds PROPERTIES FIXTURES_SETUP fuzz-seeded)

# lh_fuzzer_runs(<name> <fuzzer> <timeout> <argument>...). What an input may
# take is far more than any needs, and far less than one that claims 2^40
# elements.
function(lh_fuzzer_runs name fuzzer limit)
  add_test(NAME ${name}
    COMMAND ${LH_FUZZ_BUILD}/${fuzzer} -timeout=20 -rss_limit_mb=2048
            -malloc_limit_mb=256 -max_len=65536 -print_final_stats=1
            -verbosity=0 -artifact_prefix=${LH_FUZZ_SEEDS}/found- ${ARGN})
  # MLIR's own libraries are not instrumented, so their containers' bounds are
  # not known, and a context keeps what it made until the end.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit}
    FIXTURES_REQUIRED "fuzz-built;fuzz-seeded"
    ENVIRONMENT "ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1")
endfunction()

# lh_fuzz_test(<name> <fuzzer> <seconds> [<label>])
function(lh_fuzz_test name fuzzer seconds)
  set(folder ${LH_FUZZ_SEEDS}/${fuzzer})
  math(EXPR limit "${seconds} + 300")
  lh_fuzzer_runs(${name} ${fuzzer} ${limit} -max_total_time=${seconds}
    ${folder}/new ${folder}/seeds)
  set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
endfunction()

lh_fuzzer_runs(fuzz-variants fuzz-importer 600 -runs=0
  ${LH_FUZZ_SEEDS}/variants)
set_property(TEST fuzz-variants APPEND PROPERTY
  FIXTURES_REQUIRED fuzz-variants-made)

foreach(fuzzer reader tensor importer stablehlo artifact)
  lh_fuzz_test(fuzz-${fuzzer} fuzz-${fuzzer} ${LH_FUZZ_SECONDS})
  lh_fuzz_test(fuzz-${fuzzer}-long fuzz-${fuzzer} ${LH_FUZZ_SECONDS_FULL} full)
endforeach()
