# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The known-good sets are read, planned in order, and refused by name; nothing
# is fetched.
#   cmake -DFOLDER=DIR -P superbuild.cmake
set(sources ${CMAKE_CURRENT_LIST_DIR}/../../superbuild)
file(REMOVE_RECURSE ${FOLDER})

function(configure set code text)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${sources} -B ${FOLDER} -G Ninja
    -DLH_SET=${set} OUTPUT_VARIABLE said ERROR_VARIABLE complained
    RESULT_VARIABLE ended)
  set(${code} "${ended}" PARENT_SCOPE)
  set(${text} "${said}${complained}" PARENT_SCOPE)
endfunction()

configure("" code text)
if(NOT code EQUAL 0 OR NOT text MATCHES "set 'debian-12' goes to ${FOLDER}")
  message(FATAL_ERROR "it can't be planned: ${text}")
endif()
execute_process(COMMAND ninja -C ${FOLDER} -n -v OUTPUT_VARIABLE plan)
set(last -1)
foreach(project llvm yaml-cpp nlohmann-json cli11 spdlog catch2 lighthouse)
  string(FIND "${plan}" "${FOLDER}/${project}-prefix/src/${project}-stamp/${project}-build" at)
  if(at LESS_EQUAL last)
    message(FATAL_ERROR "${project} is built too early or not at all: ${plan}")
  endif()
  set(last ${at})
endforeach()
file(READ ${FOLDER}/llvm-prefix/tmp/llvm-gitclone.cmake clone)
if(NOT clone MATCHES "llvmorg-22" OR NOT clone MATCHES "--depth 1")
  message(FATAL_ERROR "LLVM is fetched otherwise: ${clone}")
endif()
if(NOT plan MATCHES "LLVM_ENABLE_PROJECTS=mlir.clang.lld")
  message(FATAL_ERROR "LLVM is configured otherwise: ${plan}")
endif()

file(REMOVE_RECURSE ${FOLDER})
configure(no-such-set code text)
if(code EQUAL 0 OR NOT text MATCHES "has no set 'no-such-set'; it has debian-12")
  message(FATAL_ERROR "a set that isn't there: ${text}")
endif()
