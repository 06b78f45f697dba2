# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages: `cpack --config build/CPackConfig.cmake -B DIR`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lighthouse-mlir)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Lighthouse developers <lighthouse@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tool foreign library python gaps)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME lh-run)
set(CPACK_COMPONENT_TOOL_DESCRIPTION
  "Declared MLIR pipelines: run, compare, build libraries of models")
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
# What it starts, and what it reads.
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "lh-library, lld-22")
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "libomp5-22")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS
  "python3-lighthouse, lighthouse-gaps, lh-run-foreign")

# Programs of other architectures, whose libraries this system need not have.
set(CPACK_DEBIAN_FOREIGN_PACKAGE_NAME lh-run-foreign)
set(CPACK_COMPONENT_FOREIGN_DESCRIPTION
  "Parts of lh-run for targets of other architectures")
set(CPACK_DEBIAN_FOREIGN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_FOREIGN_PACKAGE_DEPENDS "lh-run, qemu-user")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME lh-library)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "Pipelines, bubbles, targets and kernels of lh-run, as text")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_ARCHITECTURE all)

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-lighthouse)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
  "Models that lh-run has compiled, from Python")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS lh-run)

set(CPACK_DEBIAN_GAPS_PACKAGE_NAME lighthouse-gaps)
set(CPACK_COMPONENT_GAPS_DESCRIPTION
  "Passes that upstream MLIR lacks, as a plugin of mlir-opt")
set(CPACK_DEBIAN_GAPS_PACKAGE_SHLIBDEPS ON)
include(CPack)
