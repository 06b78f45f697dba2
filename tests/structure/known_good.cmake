# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is said of an LLVM that was tested, and of one that wasn't.
#   cmake -DVERSION=22.1.8 -P known_good.cmake
cmake_path(SET PROJECT_SOURCE_DIR NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
include(${PROJECT_SOURCE_DIR}/cmake/KnownGood.cmake)
foreach(version ${VERSION} 99.0.0git)
  lh_llvm_standing(${version} standing known)
  set(wanted "^known good .release., tested 20[0-9-]+$")
  if(version STREQUAL "99.0.0git")
    set(wanted "^not known good; tested are .*${VERSION}")
  endif()
  if(NOT standing MATCHES "${wanted}")
    message(FATAL_ERROR "LLVM ${version}: '${standing}'")
  endif()
endforeach()
