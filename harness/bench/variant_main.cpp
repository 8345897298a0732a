// The main of every variant executable.
#include "harness/bench/variant.h"

int main(int argc, char** argv) {
  return lab::bench::variant_main(argc, argv, lab::bench::this_variant());
}
