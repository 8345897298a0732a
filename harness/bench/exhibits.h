/// Writes the files of a workload's exhibits: one file an exhibit, in a folder that the session chooses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/bench/description.h"
#include "harness/bench/png.h"

namespace lab::bench {

/// One line of a series chart.
struct SeriesLine {
  std::string name;
  std::vector<double> y;  ///< as many as there are x
};
struct Series {
  std::string x_title, y_title;  ///< with units: "operations", "free memory, bytes"
  std::vector<double> x;
  std::vector<SeriesLine> lines;
};

/// Something that a thread did, or a mark if it took no time.
struct Event {
  std::string name;        ///< "claim": few different ones
  unsigned thread = 0;     ///< from 0
  std::int64_t begin = 0;  ///< nanoseconds since the start of the pass
  std::int64_t length = 0;
  std::map<std::string, std::int64_t> args = {};  ///< what it was about: {"position": 0, "bytes": 4096}
};

/// What the rows and the times of events are, if not threads and the microseconds of a clock.
struct EventAxes {
  std::string row = "thread";
  std::string time = {};    ///< the plural of a unit: "frames"; "": time
  double microseconds = 1;  ///< of one such unit
};

/// Most of one exhibit that is kept: a file must open in a browser. More latencies, points or events are an error.
inline constexpr std::size_t kMostLatencies = 1'000'000;
inline constexpr std::size_t kMostPoints = 20'000;  ///< of all lines of a series
inline constexpr std::size_t kMostEvents = 50'000;
inline constexpr std::size_t kMostPixels = 1'048'576;

class ExhibitFiles {
 public:
  ExhibitFiles(std::filesystem::path folder, const std::vector<ExhibitInfo>& declared)
      : folder_(std::move(folder)), declared_(declared) {}

  /// Nanoseconds of each operation, in the order of the operations: the same operations in every process.
  void latency(std::string_view name, std::span<const std::uint32_t> nanoseconds);
  void series(std::string_view name, const Series& series);
  void image(std::string_view name, const Picture& picture);
  /// `figures` are about all events: numbers that claims may be about, the summary of the exhibit.
  void events(std::string_view name, std::span<const Event> events, const std::map<std::string, double>& figures = {},
              const EventAxes& axes = {});

  /// The first error: an exhibit that was not declared, was declared of another kind, was written twice, is too large
  /// or malformed, was never written, or a file that cannot be written.
  Expected<void> finish() const;

 private:
  bool begin(std::string_view name, ExhibitKind kind, std::size_t size, std::size_t most);
  void write(std::string_view name, ExhibitKind kind, const std::string& content);
  void fail(std::string what);

  std::filesystem::path folder_;
  const std::vector<ExhibitInfo>& declared_;
  std::vector<std::string> written_;
  std::string problem_;
};

}  // namespace lab::bench
