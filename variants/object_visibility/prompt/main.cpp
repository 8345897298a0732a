#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "variants/object_visibility/family/prompt_command.h"

int main(int argc, char** argv) {
  using namespace lab;
  // An image may be larger than memory.
  const auto printed = [&]() -> Expected<std::string> {
    try {
      return object_visibility::write_prompt({argv + 1, argv + argc});
    } catch (const std::bad_alloc&) {
      return Error{"expected files that fit into memory, found larger ones", "", ExitStatus::kFailed};
    }
  }();
  if (printed) {
    fmt::print("{}", *printed);
    return static_cast<int>(ExitStatus::kOk);
  }
  const Error& error = printed.error();
  fmt::print(stderr, "object_visibility_prompt: error: {}\n", error.what);
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return static_cast<int>(error.status);
}
