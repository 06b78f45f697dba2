// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CMake's find_package() reads of a built library.
#include "runtime/deploy/Description.h"

using namespace lh;

/// As the inside of a quoted argument.
static std::string quoted(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '$')
      result += '\\';
    result += c;
  }
  return result;
}

/// What a static library leaves to be linked; the C library comes by itself.
static std::string linkLine(ArrayRef<std::string> needs) {
  std::string line;
  for (const std::string &library : needs)
    if (library != "libc.so.6")
      line += (line.empty() ? "" : ";") + ("-l:" + library);
  return line;
}

std::string lh::cmakePackage(const LibraryFacts &facts, StringRef file) {
  bool isStatic = file.ends_with(".a");
  std::string target = facts.name + "::" + facts.name;
  std::string text =
      "# find_package(" + facts.name +
      " CONFIG REQUIRED PATHS FOLDER) gives\n" +
      "# target_link_libraries(... " + target + "), with the header " +
      facts.name + ".h.\n" + "if(NOT TARGET " + target + ")\n" +
      "  add_library(" + target + (isStatic ? " STATIC" : " SHARED") +
      " IMPORTED)\n  set_target_properties(" + target + " PROPERTIES\n" +
      "    IMPORTED_LOCATION \"${CMAKE_CURRENT_LIST_DIR}/" + quoted(file) +
      "\"\n    INTERFACE_INCLUDE_DIRECTORIES \"${CMAKE_CURRENT_LIST_DIR}\"";
  if (isStatic)
    text += "\n    INTERFACE_LINK_LIBRARIES \"" + linkLine(facts.needs) + "\"";
  return text + ")\nendif()\n";
}
