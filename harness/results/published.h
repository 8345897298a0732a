/// The figures of the articles: results/published/*.json. The README.md there describes the format.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::results {

struct Article {
  std::string author;
  int year = 0;
};

using ImageSize = std::array<std::uint64_t, 2>;  ///< width and height

/// Where this machine's figure for an erratum comes from. `kind` says which of the other fields are set.
struct FigureSource {
  std::string kind;
  int from = 0, to = 0;  ///< versions
  std::string phase;
  std::string benchmarks;   ///< a glob
  std::string part, whole;  ///< counters
  std::string columns;      ///< a glob over driver columns
  std::vector<ImageSize> images;
  std::uint64_t parts = 0;
  std::string reason;
};

/// An error in an article.
struct Erratum {
  Article article;
  std::string claim;
  std::string printed;
  std::string arithmetic;
  FigureSource measured;
};

struct PublishedVersion {
  int version = 0;
  std::string variant;               ///< the name of its variant in this project
  std::string freed;                 ///< the order in which it frees packets; "": all at once
  std::map<std::string, double> ms;  ///< milliseconds per frame, by phase
};

/// A claim about time(from) / time(to) of one phase.
struct SpeedClaim {
  std::string claim;
  int from = 0;
  int to = 0;
  std::string phase;
  std::optional<double> stated;  ///< as printed
  std::string freed = {};        ///< order of freeing that selects the variants; "" if each version has one variant
};

struct CommandBuckets {
  Article source;
  std::string machine;
  std::string family;
  std::string workload;           ///< the workload on which claims are judged
  std::vector<std::string> also;  ///< further workloads for which claims are shown
  std::vector<PublishedVersion> versions;
  std::vector<SpeedClaim> claims;  ///< one for each order of freeing on which it depends

  /// The orders in which either version frees packets; {""} if both free all at once.
  std::vector<std::string> orders(int from, int to) const;
  /// The version `number` that frees packets in the order `freed`, or all at once. Every claim's version exists.
  const PublishedVersion& version(int number, const std::string& freed) const;
  /// The ratio computed from the article's table.
  double from_table(const SpeedClaim& claim) const;
  std::string benchmark(const PublishedVersion& version, const std::string& on_workload) const;
};

/// How to test a claim on a driver column. `kind` says which of the other fields are set.
struct DriverCheck {
  std::string kind;
  std::vector<std::uint64_t> bytes = {};  ///< the article's figures
  ImageSize image{};
  std::vector<ImageSize> images = {};
  std::uint64_t most = 0, low = 0, high = 0, below = 0, above = 0;
};

struct DriverClaim {
  std::string claim;
  std::optional<std::string> platform;  ///< name in the article; none for every driver
  DriverCheck check;
};

struct Platform {
  std::string what;
  std::string columns;  ///< glob over driver columns; "" if no column can match
};

struct VulkanMemory {
  Article source;
  std::uint64_t texel_bytes = 0;
  std::uint64_t least_dimension = 0;
  std::map<std::string, Platform> platforms;
  std::vector<DriverClaim> claims;
};

struct Published {
  CommandBuckets buckets;
  VulkanMemory vulkan;
  std::vector<Erratum> errata;  ///< of all articles
};

/// Reads the files; an error names the file.
Expected<Published> load_published(const std::filesystem::path& folder);

}  // namespace lab::results
