// The main of a variant as a fuzz target: libFuzzer has the real one, and calls this with each input.
#include <cstdio>
#include <cstdlib>

#include "harness/bench/variant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const lab::bench::Variant& variant = lab::bench::this_variant();
  if (!variant.fuzz) {
    std::fprintf(stderr, "the family of %s has no check for a fuzzer\n", variant.name.c_str());
    std::exit(2);
  }
  if (const std::string wrong = variant.fuzz({data, bytes}); !wrong.empty()) {
    std::fprintf(stderr, "wrong: %s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
