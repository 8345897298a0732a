/// How many pixels each object covers in an object-id image: an image whose every pixel is the id of the object that is
/// seen there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "variants/designs/threads/worker_pool.h"

namespace lab::object_visibility {

inline constexpr std::uint32_t kBackground = 0;  ///< the id where no object is seen; it is never counted

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

}  // namespace lab::object_visibility
