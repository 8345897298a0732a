/// How many pixels each object covers in an object-id image: an image whose every pixel is the id of the object that is
/// seen there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/variant.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::object_visibility {

inline constexpr std::uint32_t kBackground = 0;  ///< the id where no object is seen; it is never counted
/// The largest id that a table of counters is made for. Blender's pass index ends at 32,767.
inline constexpr std::uint32_t kMostId = (1u << 20) - 1;

/// Rows from the top. The pixels belong to somebody else.
struct IdImage {
  std::uint32_t width = 0, height = 0;
  std::span<const std::uint32_t> ids;
};

/// counts[i]: the pixels of object i; counts[0] is 0. An id below the largest that no object has is counted, too.
using Counts = std::vector<std::uint32_t>;

/// A way to count. Its tables may live from one image to the next; clearing them is a part of counting.
class Counter {
 public:
  virtual ~Counter() = default;
  /// What is not timed: brings an image to where this counter reads it. A renderer's image is on its device already.
  virtual void load(const IdImage& image) { image_ = image; }
  /// Counts the loaded image, whose pixels are there and are of width times height. Overwrites `counts`, all but the
  /// first. Whether no id is beyond it; if one is, `counts` holds anything.
  virtual bool count(std::span<std::uint32_t> counts) = 0;
  /// Of the last count, what the device took; negative: there is no device, or it has no clock.
  virtual double device_ns() const { return -1; }
  virtual bool device_is_cpu() const { return false; }

 protected:
  const IdImage& image() const { return image_; }

 private:
  IdImage image_;
};

/// What a counter is made of. `pool` has one worker for a variant that is not parallel.
struct Setup {
  designs::WorkerPool& pool;
  std::string device;  ///< bench::Case::device
};
using MakeCounter = std::unique_ptr<Counter> (*)(const Setup& setup);

/// An image without pixels, or with another number than width times height, in one sentence.
Expected<void> check_image(const IdImage& image);
/// The sentence for an image in which count() found an id beyond `largest`: the first such pixel.
Error unknown_id(const IdImage& image, std::uint32_t largest);
/// Checks, loads and counts: the errors are the same whatever the counter.
Expected<Counts> count_pixels(Counter& counter, const IdImage& image, std::uint32_t largest);

/// What a variant says besides its card.
struct Ability {
  bool parallel = false;         ///< it divides the image among the workers of the pool
  std::string unsupported = {};  ///< why this machine cannot run it; "" if it can
  bool on_device = false;        ///< it counts on a Vulkan device
  bool as_the_article = false;   ///< it also has the workload of the article's loop in Python
};
bench::Variant make_variant(bench::VariantCard card, const MakeCounter& make, const Ability& ability = {});

}  // namespace lab::object_visibility
