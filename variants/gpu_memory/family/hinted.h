/// The article's policy with up-front hints.
#pragma once

#include "variants/gpu_memory/family/gpu_memory.h"

namespace lab::gpu_memory {

class Hinted : public Pools<designs::BestFit, kByAlignment> {
 public:
  explicit Hinted(const Setup& setup) : Pools(with_hints(setup)) {}

 private:
  static Setup with_hints(Setup setup) {
    setup.policy.hints = setup.hints;
    return setup;
  }
};

}  // namespace lab::gpu_memory
