// External tools by way of temporary files and LLVM's process support.
#include "driver/ExternalCommand.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

namespace {

/// A temporary file that goes away with the object.
class ScratchFile {
public:
  ScratchFile() {
    broken = static_cast<bool>(
        llvm::sys::fs::createTemporaryFile("lh-run", "tmp", path));
  }
  ~ScratchFile() {
    if (!broken)
      llvm::sys::fs::remove(path);
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  bool write(StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    stream << text;
    stream.close();
    return !broken && !error && !stream.has_error();
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  StringRef name() const { return path; }

private:
  llvm::SmallString<128> path;
  bool broken = false;
};

} // namespace

/// At most the last five lines of what a tool complained.
static StringRef tail(StringRef text) {
  text = text.rtrim();
  size_t begin = text.size();
  for (int lines = 0; lines < 5 && begin != StringRef::npos && begin > 0;
       ++lines)
    begin = text.rfind('\n', begin);
  return begin == StringRef::npos ? text : text.substr(begin).ltrim('\n');
}

FailureOr<std::string> lh::runExternalCommand(ArrayRef<std::string> words,
                                              StringRef input,
                                              DiagnosticSink &sink) {
  llvm::ErrorOr<std::string> program =
      llvm::sys::findProgramByName(words.front());
  if (!program)
    return sink.error(DiagKind::DriverCommandFailed, {},
                      "command '" + words.front() +
                          "' was not found; commands are looked up in PATH");
  ScratchFile in, out, err;
  if (!in.write(input))
    return sink.error(DiagKind::DriverCommandFailed, {},
                      "cannot write a temporary file for '" + words.front() +
                          "'; is the temporary folder full?");
  std::vector<StringRef> arguments(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {in.name(), out.name(), err.name()};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt,
                                       redirects, 0, 0, &problem);
  if (code == 0)
    return out.read();
  std::string complaint = err.read();
  return sink.error(DiagKind::DriverCommandFailed, {},
                    "command '" + words.front() + "' ended with code " +
                        Twine(code) + (problem.empty() ? "" : ": " + problem) +
                        (complaint.empty() ? "" : ": " + tail(complaint)));
}
