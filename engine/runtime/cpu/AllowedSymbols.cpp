// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of what generated code may call, and the check of an object by it.
#include "runtime/cpu/AllowedSymbols.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"

#include <set>

using namespace lh;

namespace {
struct AllowedRow {
  const char *what; ///< as messages name it
  /// Separated by blanks. A name that ends with `*` stands for all that begin
  /// so; one that ends with `~` for the functions of double, float (`f`) and
  /// long double (`l`).
  const char *names;
};
} // namespace

static constexpr AllowedRow allowedRows[] = {
    {"libm's functions",
     "acos~ acosh~ asin~ asinh~ atan~ atan2~ atanh~ cbrt~ ceil~ copysign~ "
     "cos~ cosh~ erf~ erfc~ exp~ exp10~ exp2~ expm1~ fabs~ fdim~ floor~ fma~ "
     "fmax~ fmaximum~ fmaximum_num~ fmin~ fminimum~ fminimum_num~ fmod~ "
     "frexp~ hypot~ ilogb~ ldexp~ lgamma~ llrint~ llround~ log~ log10~ log1p~ "
     "log2~ logb~ lrint~ lround~ modf~ nearbyint~ nextafter~ pow~ remainder~ "
     "remquo~ rint~ round~ roundeven~ scalbln~ scalbn~ sin~ sincos~ sinh~ "
     "sqrt~ tan~ tanh~ tgamma~ trunc~"},
    {"libm's functions of complex numbers",
     "cabs~ cacos~ cacosh~ carg~ casin~ casinh~ catan~ catanh~ ccos~ ccosh~ "
     "cexp~ clog~ conj~ cpow~ csin~ csinh~ csqrt~ ctan~ ctanh~"},
    {"glibc's vector functions", "_ZGV*"},
    {"memory functions",
     "aligned_alloc bcmp bzero calloc free malloc memchr memcmp memcpy memmove "
     "memset realloc"},
    {"OpenMP's runtime", "__kmpc_* omp_get_* omp_in_parallel omp_set_*"},
    // Arithmetic that a machine has no instructions for, conversions (of 16-bit
    // floats above all), atomics, and what calls need on AArch64 in streaming
    // mode and on RISC-V. No C library has other functions that begin so.
    {"compilers' helpers",
     "__add* __ashl* __ashr* __clz* __ctz* __div* __extend* __fix* __float* "
     "__gnu_f2h_ieee __gnu_h2f_ieee __lshr* __mod* __mul* __popcount* __powi* "
     "__sub* __trunc* __udiv* __umod* "
     "__eqdf2 __eqsf2 __eqtf2 __gedf2 __gesf2 __getf2 __gtdf2 __gtsf2 __gttf2 "
     "__ledf2 __lesf2 __letf2 __ltdf2 __ltsf2 __lttf2 __nedf2 __negdi2 "
     "__negti2 __nesf2 __netf2 __unorddf2 __unordsf2 __unordtf2 "
     "__aarch64_cas* __aarch64_ldadd* __aarch64_ldclr* __aarch64_ldeor* "
     "__aarch64_ldset* __aarch64_swp* __atomic_* "
     "__arm_get_current_vg __arm_sc_* __arm_sme_* __arm_tpidr2_* "
     "__arm_za_disable __riscv_restore_* __riscv_save_*"},
    // Not a function: where an object's own table of addresses begins.
    {"its own tables", "_GLOBAL_OFFSET_TABLE_"},
};

static bool stands(StringRef pattern, StringRef name) {
  if (pattern.consume_back("*"))
    return name.starts_with(pattern);
  if (!pattern.consume_back("~"))
    return name == pattern;
  return name.consume_front(pattern) &&
         (name.empty() || name == "f" || name == "l");
}

bool lh::isAllowedSymbol(StringRef name) {
  for (const AllowedRow &row : allowedRows) {
    llvm::SmallVector<StringRef, 128> patterns;
    StringRef(row.names).split(patterns, ' ');
    if (llvm::any_of(patterns,
                     [&](StringRef pattern) { return stands(pattern, name); }))
      return true;
  }
  return false;
}

static std::string allowedText() {
  std::vector<std::string> kinds;
  for (const AllowedRow &row : allowedRows)
    kinds.push_back(row.what);
  kinds.back() = "the engine's own functions"; // instead of its tables
  return llvm::join(kinds, ", ");
}

LogicalResult lh::checkSymbols(StringRef object,
                               llvm::function_ref<bool(StringRef)> isOurs,
                               const SourceSpan &where, DiagnosticSink &sink) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "code"));
  if (!file) {
    std::string problem = llvm::toString(file.takeError());
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "the compiled code can't be read: " + problem);
  }
  std::set<std::string> forbidden;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    bool isRead = static_cast<bool>(flags) && static_cast<bool>(name);
    if (isRead && (*flags & llvm::object::SymbolRef::SF_Undefined) &&
        !name->empty() && !isOurs(*name) && !isAllowedSymbol(*name))
      forbidden.insert(name->str());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  if (forbidden.empty())
    return success();
  return sink.error(DiagKind::BackendForbiddenSymbol, where,
                    "the compiled code calls '" +
                        llvm::join(forbidden, "', '") +
                        "', which generated code may not; it may call " +
                        allowedText() + " (docs/security.md)");
}
