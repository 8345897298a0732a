/// What the articles state: results/published/*.json, described in the README.md beside them.
#pragma once

#include <boost/json/object.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace lab::report {

/// A slip of an article.
struct Erratum {
  std::string article;  ///< whose
  std::string claim;
  std::string printed;
  std::string arithmetic;
  boost::json::object measured;  ///< where this machine's figure comes from
};

struct PublishedVersion {
  int version = 0;
  std::string variant;  ///< its name here
  std::string freed;    ///< the order in which it frees its packets; "": it frees all at once
  std::string threads;
  std::string allocation;
  std::map<std::string, double> ms;  ///< milliseconds a frame, by phase
};

/// A claim about time(from) / time(to) of one phase.
struct SpeedClaim {
  std::string claim;
  int from = 0;
  int to = 0;
  std::string phase;
  std::optional<double> stated;  ///< as printed
  std::string freed = {};        ///< which variants of its versions are meant; "" where neither has more than one
};

struct CommandBuckets {
  std::string author;
  int year = 0;
  std::string machine;
  std::string method;
  double commands = 0;
  std::string family;
  std::string workload;           ///< the one by which claims are judged
  std::vector<std::string> also;  ///< workloads for which they are shown
  std::vector<PublishedVersion> versions;
  std::vector<SpeedClaim> claims;  ///< one for each order of freeing that it depends on

  /// The orders in which either version frees its packets; one that is "" where both free all at once.
  std::vector<std::string> orders(int from, int to) const;
  /// The version of that number which frees its packets in that order, or all at once; a claim names no other.
  const PublishedVersion& version(int number, const std::string& freed) const;
  /// The ratio that follows from the article's table.
  double from_table(const SpeedClaim& claim) const;
  std::string benchmark(const PublishedVersion& version, const std::string& on_workload) const;
};

struct VulkanClaim {
  std::string claim;
  std::string platform;  ///< the article's name; "" for every driver
  boost::json::object check;
};

struct Platform {
  std::string what;
  std::string columns;  ///< glob over driver columns; "" where none can be
};

struct VulkanMemory {
  std::string author;
  int year = 0;
  std::uint64_t texel_bytes = 0;
  std::uint64_t least_dimension = 0;
  std::map<std::string, Platform> platforms;
  std::vector<VulkanClaim> claims;
};

struct Published {
  CommandBuckets buckets;
  VulkanMemory vulkan;
  std::vector<Erratum> errata;  ///< of all articles
};

/// Reads the files; an error names the file.
Expected<Published> load_published(const std::filesystem::path& folder);

}  // namespace lab::report
