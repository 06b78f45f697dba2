# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR, and how it stands among the versions that were tested.
option(LH_ANY_LLVM "Build with an LLVM that nobody tested, without a warning" OFF)
set(LH_LEAST_MLIR 22.1)

# Sets `result` to what doctor says of LLVM `version`, and `known` to the
# versions in known-good.json.
function(lh_llvm_standing version result known)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/known-good.json)
  file(READ ${PROJECT_SOURCE_DIR}/known-good.json list)
  string(JSON count LENGTH "${list}" llvm)
  math(EXPR last "${count} - 1")
  set(names "")
  set(standing "")
  foreach(i RANGE ${last})
    string(JSON name GET "${list}" llvm ${i} version)
    string(JSON status GET "${list}" llvm ${i} status)
    string(JSON day GET "${list}" llvm ${i} tested)
    list(APPEND names ${name})
    if(name STREQUAL version)
      set(standing "known good (${status}), tested ${day}")
    endif()
  endforeach()
  list(JOIN names ", " names)
  if(NOT standing)
    set(standing "not known good; tested are ${names}")
  endif()
  set(${result} "${standing}" PARENT_SCOPE)
  set(${known} "${names}" PARENT_SCOPE)
endfunction()

# A macro: what find_package sets is for the caller. CMake takes another MLIR
# in silence where the one that was asked for is missing.
macro(lh_find_mlir)
  set(LH_ASKED_MLIR "${MLIR_DIR}")
  find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  if(LH_ASKED_MLIR AND NOT LH_ASKED_MLIR STREQUAL MLIR_DIR)
    message(FATAL_ERROR "MLIR_DIR is '${LH_ASKED_MLIR}', where there is no "
      "MLIRConfig.cmake (one is in '${MLIR_DIR}')")
  endif()
  if(LLVM_PACKAGE_VERSION VERSION_LESS LH_LEAST_MLIR)
    message(FATAL_ERROR "MLIR ${LLVM_PACKAGE_VERSION} in '${MLIR_DIR}' is too "
      "old: ${LH_LEAST_MLIR} is needed, or a later one")
  endif()
  lh_llvm_standing(${LLVM_PACKAGE_VERSION} LH_LLVM_STANDING LH_LLVM_KNOWN)
  if(LH_LLVM_STANDING MATCHES "^not" AND NOT LH_ANY_LLVM)
    message(WARNING "nobody tested lh-run with LLVM ${LLVM_PACKAGE_VERSION}, "
      "but with ${LH_LLVM_KNOWN} (docs/llvm-versions.md); "
      "-DLH_ANY_LLVM=ON is silent about it")
  endif()
endmacro()
