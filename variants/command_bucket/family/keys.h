/// The keys by which a bucket is sorted: how they are laid out, and four ways to put their fields together.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "variants/command_bucket/family/scene.h"

namespace lab::command_bucket {

/// From the most significant bit: how a draw blends (2 bits), then its depth and its material (14 bits) in one order or
/// the other, last its number (16 bits), which makes keys unique.
///
/// A depth is sorted by the bits of its float, which is positive: front to back, or back to front where it blends. In
/// 24 bits it is first moved to one binade (1 to 2), where sign and exponent say nothing and the 23 bits of the
/// mantissa are the key, as the article's author answers a reader. He writes that this loses no information. It loses
/// none of depths that lie in one binade from the start; others are rounded to multiples of 2^-23.
struct KeyFields {
  std::uint64_t blend;
  std::uint64_t depth;
  std::uint64_t material;
  std::uint64_t id;
};

inline constexpr unsigned kBlendBits = 2, kDepthBits = 32, kShortDepthBits = 24, kMaterialBits = 14, kIdBits = 16;

/// `depth` in 24 bits: the mantissa of 1 + depth / kFarthest, and a 0. The quotient stays below 1 by more than a
/// float's rounding: at 2 the mantissa would be 0 again.
inline std::uint32_t short_depth(float depth) {
  constexpr float kToBinade = (1.0f - 0x1p-22f) / kFarthest;
  return (std::bit_cast<std::uint32_t>(1.0f + depth * kToBinade) & 0x7fffffu) << 1;
}

/// The depth of a component as a layer sees it: the shadow map from the other end of the scene.
inline float depth_in(Layer layer, const Component& component) {
  return layer == kShadowMap ? kFarthest + kNearest - component.depth : component.depth;
}

template <unsigned kBits>
KeyFields fields_of(Layer layer, const Component& component) {
  const float depth = depth_in(layer, component);
  std::uint64_t bits = kBits == kDepthBits ? std::bit_cast<std::uint32_t>(depth) : short_depth(depth);
  if (component.blend != 0) bits ^= (std::uint64_t{1} << kBits) - 1;
  return {component.blend, bits, component.material, component.id};
}

/// A bijection of 64-bit values that maps neighbours far apart (the finaliser of MurmurHash3, A. Appleby).
constexpr std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
  return value ^ (value >> 33);
}

/// Without fields: unique in its layer and unrelated to the order of the components.
inline std::uint64_t scattered_key(const Scene& scene, Layer layer, const Component& component) {
  return scatter(scene.salt ^ (std::uint64_t{layer} << 32 | component.id));
}

/// The width of the depth in a layout.
template <KeyLayout kLayout>
inline constexpr unsigned kDepthBitsOf = kLayout == KeyLayout::kByShortDepth ? kShortDepthBits : kDepthBits;

/// The fields without bits above their width, as bit fields keep them.
template <unsigned kDepth>
KeyFields masked(const KeyFields& fields) {
  constexpr auto kLow = [](unsigned bits) { return (std::uint64_t{1} << bits) - 1; };
  return {fields.blend & kLow(kBlendBits), fields.depth & kLow(kDepth), fields.material & kLow(kMaterialBits),
          fields.id & kLow(kIdBits)};
}

/// Each field is shifted to its place.
template <KeyLayout kLayout>
std::uint64_t shifted(const KeyFields& fields) {
  constexpr unsigned kDepth = kDepthBitsOf<kLayout>;
  if constexpr (kLayout == KeyLayout::kByMaterial)
    return fields.blend << (kMaterialBits + kDepth + kIdBits) | fields.material << (kDepth + kIdBits) |
           fields.depth << kIdBits | fields.id;
  else
    return fields.blend << (kDepth + kMaterialBits + kIdBits) | fields.depth << (kMaterialBits + kIdBits) |
           fields.material << kIdBits | fields.id;
}

/// The fields of our components have no bits above their width, so nothing is masked here: less work than bit fields
/// do, which keep a field that is too wide out of its neighbours.
template <KeyLayout kLayout>
std::uint64_t shifted_key(Layer layer, const Component& component) {
  return shifted<kLayout>(fields_of<kDepthBitsOf<kLayout>>(layer, component));
}

// The ways to make keys. Each has a type for each layout that it knows, so that a frame asks nothing on the way.

/// Only what has no fields.
struct ScatteredKeys {
  static constexpr bool kHasLayouts = false;
  template <KeyLayout kLayout>
  class Of {
   public:
    explicit Of(const Scene& scene) : scene_(&scene) {}
    std::uint64_t operator()(Layer layer, const Component& component) const {
      return scattered_key(*scene_, layer, component);
    }

   private:
    const Scene* scene_;
  };
};

struct ShiftedKeys {
  static constexpr bool kHasLayouts = true;
  template <KeyLayout kLayout>
  struct Of {
    explicit Of(const Scene&) {}
    std::uint64_t operator()(Layer layer, const Component& component) const {
      return shifted_key<kLayout>(layer, component);
    }
  };
};
template <>
struct ShiftedKeys::Of<KeyLayout::kScattered> : ScatteredKeys::Of<KeyLayout::kScattered> {
  using ScatteredKeys::Of<KeyLayout::kScattered>::Of;
};

/// Shifted and masked, as the article's author writes: the work of bit fields, by hand.
struct MaskedKeys {
  static constexpr bool kHasLayouts = true;
  template <KeyLayout kLayout>
  struct Of {
    explicit Of(const Scene&) {}
    std::uint64_t operator()(Layer layer, const Component& component) const {
      constexpr unsigned kDepth = kDepthBitsOf<kLayout>;
      return shifted<kLayout>(masked<kDepth>(fields_of<kDepth>(layer, component)));
    }
  };
};
template <>
struct MaskedKeys::Of<KeyLayout::kScattered> : ScatteredKeys::Of<KeyLayout::kScattered> {
  using ScatteredKeys::Of<KeyLayout::kScattered>::Of;
};

/// Each field is a bit field, and the compiler puts them together.
struct BitFieldKeys {
  static constexpr bool kHasLayouts = true;

  // On x86-64 the first bit field has the least significant bits.
  struct ByDepth {
    static constexpr unsigned kDepth = kDepthBits;
    std::uint64_t id : kIdBits, material : kMaterialBits, depth : kDepthBits, blend : kBlendBits;
  };
  struct ByMaterial {
    static constexpr unsigned kDepth = kDepthBits;
    std::uint64_t id : kIdBits, depth : kDepthBits, material : kMaterialBits, blend : kBlendBits;
  };
  struct ByShortDepth {
    static constexpr unsigned kDepth = kShortDepthBits;
    std::uint64_t id : kIdBits, material : kMaterialBits, depth : kShortDepthBits, blend : kBlendBits, unused : 8;
  };

  template <typename Bits>
  struct Packed {
    explicit Packed(const Scene&) {}
    std::uint64_t operator()(Layer layer, const Component& component) const {
      const KeyFields fields = fields_of<Bits::kDepth>(layer, component);
      Bits bits{};
      bits.id = fields.id & ((1u << kIdBits) - 1);
      bits.material = fields.material & ((1u << kMaterialBits) - 1);
      bits.depth = fields.depth & ((std::uint64_t{1} << Bits::kDepth) - 1);
      bits.blend = fields.blend & ((1u << kBlendBits) - 1);
      return std::bit_cast<std::uint64_t>(bits);
    }
  };

  template <KeyLayout kLayout>
  struct Of;
};
template <>
struct BitFieldKeys::Of<KeyLayout::kScattered> : ScatteredKeys::Of<KeyLayout::kScattered> {
  using ScatteredKeys::Of<KeyLayout::kScattered>::Of;
};
template <>
struct BitFieldKeys::Of<KeyLayout::kByDepth> : Packed<ByDepth> {
  using Packed::Packed;
};
template <>
struct BitFieldKeys::Of<KeyLayout::kByMaterial> : Packed<ByMaterial> {
  using Packed::Packed;
};
template <>
struct BitFieldKeys::Of<KeyLayout::kByShortDepth> : Packed<ByShortDepth> {
  using Packed::Packed;
};

/// The layout is a function, called through a pointer: it can be switched while the program runs, and one compiled
/// frame serves all layouts.
struct FunctionPointerKeys {
  static constexpr bool kHasLayouts = true;

  class Any {
   public:
    explicit Any(const Scene& scene) : scene_(&scene), make_(function_for(scene.keys)) {}
    std::uint64_t operator()(Layer layer, const Component& component) const { return make_(*scene_, layer, component); }

   private:
    using Make = std::uint64_t (*)(const Scene& scene, Layer layer, const Component& component);
    static Make function_for(KeyLayout layout);

    const Scene* scene_;
    Make make_;
  };
  template <KeyLayout>
  using Of = Any;
};

}  // namespace lab::command_bucket
