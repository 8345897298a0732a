/// Where the bytes of a driver's images go: texels, compression metadata, padding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/results/article.h"
#include "harness/results/atlas.h"

namespace lab::judge {

/// Bytes over a set of images. A refused image is in none of them.
struct ImageBytes {
  std::uint64_t images = 0;
  std::uint64_t texels = 0;    ///< tightly packed
  std::uint64_t storage = 0;   ///< required
  std::uint64_t rounding = 0;  ///< from each storage to the next multiple of its alignment

  double waste() const;  ///< share of the storage that is not texels; 0 without images
};

/// The images of the article's sweep with at most `most_texel_bytes` bytes of texels.
ImageBytes image_bytes(const results::DriverColumn& column, const results::ImageSweep& sweep,
                       std::uint64_t most_texel_bytes);

/// A column, and the same driver asked without compression (INTEL_DEBUG=noccs or RADV_DEBUG=nodcc).
struct CompressionPair {
  const results::DriverColumn* with = nullptr;
  const results::DriverColumn* without = nullptr;
  std::string setting;  ///< "INTEL_DEBUG=noccs"
};
std::vector<CompressionPair> compression_pairs(std::span<const results::DriverColumn> atlas);

/// What compression adds to the images of the article's sweep. An image may also become smaller.
struct CompressionBytes {
  std::uint64_t images = 0;          ///< that both answered
  std::uint64_t changed = 0;         ///< with another storage
  std::int64_t bytes = 0;            ///< all that it adds
  std::int64_t least = 0, most = 0;  ///< to one of the changed images
};
CompressionBytes compression_bytes(const CompressionPair& pair);

/// Two columns of one chip and one driver, of successive versions, with the same settings.
struct VersionPair {
  const results::DriverColumn* from = nullptr;
  const results::DriverColumn* to = nullptr;
};
std::vector<VersionPair> version_pairs(std::span<const results::DriverColumn> atlas);

}  // namespace lab::judge
