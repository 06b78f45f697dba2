# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DOUTPUT=x.cpp -DFILES="name=path;..." -P embed.cmake
# Writes a C++ file that holds the bytes of each file as assets::name.
set(text "// Made by embed.cmake.\n#include \"insight/report/page/Assets.h\"\n\n")
foreach(pair IN LISTS FILES)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 path)
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
  string(REGEX REPLACE "([^\n]+)" "  \"\\1\"" hex "${hex}")
  file(SIZE "${path}" size)
  string(APPEND text "const llvm::StringRef lh::assets::${name}(\n${hex}\n  \"\", ${size});\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
