// The first code of the launcher: whether this CPU can run the rest of it. This file alone is compiled for every x86-64
// CPU, and runs before any other initialisation, so that an old CPU gets a sentence instead of SIGILL.
#include <unistd.h>

#include <cstring>

namespace {

/// __builtin_cpu_supports takes literals.
bool can_run(const char* level) {
  if (std::strcmp(level, "x86-64-v2") == 0) return __builtin_cpu_supports("x86-64-v2");
  if (std::strcmp(level, "x86-64-v3") == 0) return __builtin_cpu_supports("x86-64-v3");
  if (std::strcmp(level, "x86-64-v4") == 0) return __builtin_cpu_supports("x86-64-v4");
  return true;
}

void say(const char* text) {
  static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)) < 0);
}

void check_cpu(int, char**, char**) {
  __builtin_cpu_init();
  if (can_run(LAB_LEVEL)) return;
  say("lab: expected a CPU of level " LAB_LEVEL " or higher, found a lower one\n");
  say("hint: build for it, and make another bundle: python3 make.py build --march x86-64\n");
  ::_exit(2);
}

}  // namespace

__attribute__((section(".preinit_array"), used)) void (*const lab_check_cpu)(int, char**, char**) = check_cpu;
