#include "harness/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace lab {

Error interrupted_error() {
  return {"interrupted", "", ExitStatus::kInterrupted};
}

Error in_context(std::string_view doing, Error error) {
  error.what = std::string(doing) + ": " + error.what;
  return error;
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  std::fprintf(stderr, "bug: %s:%u: unchecked error: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
               error.what.c_str());
  std::abort();
}

}  // namespace lab
