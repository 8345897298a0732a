/// What a fuzzer does with a pool: it reads operations from arbitrary bytes and checks every answer. Any bytes are
/// valid, and the same bytes mean the same operations to every variant, so all variants share one corpus.
///
/// Byte 0: the capacity, 1 to 128 (low seven bits, plus one). Then one operation after the other, by its first byte:
/// - 0 to 127, create;
/// - 128 to 207, destroy the live object of this number, counted round; a byte follows, which is added 80 times;
/// - 208 to 223, update: destroys the objects whose id is a multiple of 1 to 16;
/// - 224 to 239, look at a destroyed object, and destroy it again, where the variant finds that it is stale; a byte
///   follows, which counts them round;
/// - 240 to 247, destroy every second object;
/// - 248 to 255, create until the pool is full, and once more.
///
/// If the high bit of byte 0 is set and the variant's objects may act, the other bytes are for objects that do
/// (designs/objects/acting_model.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "variants/designs/objects/acting_model.h"
#include "variants/object_pool/family/subject.h"

namespace lab::object_pool {

/// Drives a pool of objects that act; "" or what is wrong.
using Acting = std::string (*)(std::span<const std::uint8_t> input);

/// "" or what is wrong, in one sentence. `acting`: null if the variant's objects must not act.
std::string fuzz(const Subject& subject, Acting acting, std::span<const std::uint8_t> input);

/// Of a variant.
template <template <typename> class Pool>
constexpr Acting acting_of() {
  if constexpr (ObjectsMayAct<Pool<Probe>>)
    return &designs::ActingModel<Pool<designs::Actor>>::run;
  else
    return nullptr;
}

}  // namespace lab::object_pool
