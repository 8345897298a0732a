#include <fmt/format.h>

#include <cstdio>

#include "variants/object_visibility/family/prompt_command.h"

int main(int argc, char** argv) {
  using namespace lab;
  const Expected<std::string> printed = object_visibility::write_prompt({argv + 1, argv + argc});
  if (printed) {
    fmt::print("{}", *printed);
    return static_cast<int>(ExitStatus::kOk);
  }
  const Error& error = printed.error();
  fmt::print(stderr, "object_visibility_prompt: error: {}\n", error.what);
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return static_cast<int>(error.status);
}
