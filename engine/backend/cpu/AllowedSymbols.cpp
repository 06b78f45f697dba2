// The list of what generated code may call, and the check of an object by it.
#include "backend/cpu/AllowedSymbols.h"

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
    {"memory functions",
     "aligned_alloc bcmp bzero calloc free malloc memchr memcmp memcpy memmove "
     "memset realloc"},
    {"OpenMP's runtime", "__kmpc_* omp_get_* omp_in_parallel omp_set_*"},
    // Conversions of 16-bit floats, integers of 128 bits, floats of 128 bits,
    // products and quotients of complex numbers, powers by integers, atomics,
    // and what AArch64's streaming mode needs.
    {"compilers' helpers",
     "__extendbfsf2 __extendhfdf2 __extendhfsf2 __extendhftf2 __extendhfxf2 "
     "__gnu_f2h_ieee __gnu_h2f_ieee __truncdfbf2 __truncdfhf2 __truncsfbf2 "
     "__truncsfhf2 __trunctfbf2 __trunctfhf2 __truncxfbf2 __truncxfhf2 "
     "__ashlti3 __ashrti3 __divmodti4 __divti3 __lshrti3 __modti3 __muloti4 "
     "__multi3 __udivmodti4 __udivti3 __umodti3 "
     "__fixdfti __fixsfti __fixtfti __fixunsdfti __fixunssfti __fixunstfti "
     "__floattidf __floattisf __floattitf __floatuntidf __floatuntisf "
     "__floatuntitf __floattihf __floatuntihf __fixhfti __fixunshfti "
     "__addtf3 __divtf3 __eqtf2 __extenddftf2 __extendsftf2 __fixtfdi "
     "__fixtfsi __fixunstfdi __fixunstfsi __floatditf __floatsitf "
     "__floatunditf __floatunsitf __getf2 __gttf2 __letf2 __lttf2 __multf3 "
     "__netf2 __subtf3 __trunctfdf2 __trunctfsf2 __unordtf2 "
     "__divdc3 __divsc3 __divtc3 __divxc3 __muldc3 __mulsc3 __multc3 "
     "__mulxc3 __powidf2 __powisf2 __powitf2 __powixf2 "
     "__aarch64_cas* __aarch64_ldadd* __aarch64_ldclr* __aarch64_ldeor* "
     "__aarch64_ldset* __aarch64_swp* __atomic_* "
     "__arm_get_current_vg __arm_sc_memcpy __arm_sc_memmove __arm_sc_memset "
     "__arm_sme_restore __arm_sme_save __arm_sme_state __arm_sme_state_size "
     "__arm_tpidr2_restore __arm_tpidr2_save __arm_za_disable"},
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
