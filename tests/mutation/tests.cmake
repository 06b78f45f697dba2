# A pass plugin that makes one mistake, and the suite that counts which of them
# the checks find.
add_library(mutation-plugin MODULE
  mutation/Changes.cpp
  mutation/IndexOperators.cpp
  mutation/LoopOperators.cpp
  mutation/MemoryOperators.cpp
  mutation/MutatePass.cpp
  mutation/NumberOperators.cpp
  mutation/ScalarOperators.cpp)
target_link_libraries(mutation-plugin PRIVATE lh_warnings MLIR LLVM)
set_target_properties(mutation-plugin PROPERTIES
  PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
