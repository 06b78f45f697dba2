// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which program this is, to the bit.
#include "core/cache/EngineBuild.h"

#include "core/cache/FileIdentity.h"

#include "llvm/ADT/StringExtras.h"

#include <elf.h>
#include <link.h>

using namespace lh;

static size_t padded(size_t size) { return (size + 3) & ~size_t{3}; }

/// The build id in one PT_NOTE segment; empty when it has none.
static std::string buildIdIn(const char *notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes);
    size_t name = padded(note->n_namesz), data = padded(note->n_descsz);
    size_t length = sizeof(*note) + name + data;
    if (length > size)
      break;
    const char *bytes = notes + sizeof(*note);
    if (note->n_type == NT_GNU_BUILD_ID &&
        StringRef(bytes, note->n_namesz) == StringRef("GNU", 4))
      return llvm::toHex(StringRef(bytes + name, note->n_descsz),
                         /*LowerCase=*/true);
    notes += length;
    size -= length;
  }
  return "";
}

static int addLibrary(dl_phdr_info *info, size_t, void *text) {
  StringRef name(info->dlpi_name);
  if (!name.empty() && !name.contains("libMLIR") && !name.contains("libLLVM"))
    return 0;
  std::string id;
  for (size_t i = 0; i < info->dlpi_phnum && id.empty(); ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      id = buildIdIn(reinterpret_cast<const char *>(info->dlpi_addr +
                                                    info->dlpi_phdr[i].p_vaddr),
                     info->dlpi_phdr[i].p_memsz);
  if (id.empty())
    id = fileStatus(name.empty() ? "/proc/self/exe" : name.str());
  auto &all = *static_cast<std::string *>(text);
  all += (all.empty() ? "" : " ") + id;
  return 0;
}

std::string lh::engineBuild() {
  std::string text;
  dl_iterate_phdr(addLibrary, &text);
  return text;
}
