#include "harness/report/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/json.hpp>

#include "harness/report/format.h"

namespace lab::report {

namespace {

namespace json = boost::json;

enum class State { kFree, kAllocated, kSplit, kNone };
constexpr std::string_view kStates[] = {"free", "allocated", "split", ""};
constexpr std::string_view kLetters[] = {"F", "A", "S", ""};

std::string name_of(State state) {
  return std::string(kStates[static_cast<std::size_t>(state)]);
}

struct BlockKey {
  std::int64_t bytes = 0, begin = 0;
  auto operator<=>(const BlockKey&) const = default;
};
using Blocks = std::map<BlockKey, State>;

/// Sizes in the steps' sentences: "32 KiB".
std::string size(std::int64_t count) {
  return bytes(static_cast<std::uint64_t>(count));
}

/// The blocks of the range, and what each event makes of them.
class Replay {
 public:
  /// False if the events are none of a tree of blocks.
  bool run(const std::vector<ReplayEvent>& events) {
    if (events.empty() || events.front().name != "range" || !read(events.front())) return false;
    range_ = now_.bytes;
    if (leaf_ <= 0 || range_ < leaf_ || now_.begin != 0 || levels() > kMostLevels || events.size() > kMostSteps)
      return false;
    set({range_, 0}, State::kFree);
    end_step(fmt::format("All {} are free.", size(range_)), true);
    for (std::size_t i = 1; i < events.size(); ++i) {
      if (!read(events[i]) || !apply(events[i].name)) return false;
      const bool is_request =
          i + 1 == events.size() || events[i + 1].name == "free" ||
          ((events[i + 1].name == "allocate" || events[i + 1].name == "split") && events[i].name != "split");
      end_step(sentence(events[i].name), is_request);
    }
    return true;
  }

  json::object data() const {
    return {{"bytes", range_}, {"leaf", leaf_}, {"levels", level_names()}, {"steps", steps_}};
  }

  /// At most kFrames states between requests, evenly spread, with the first and the last.
  json::array frame_rows(const std::string& benchmark) const {
    json::array rows;
    const std::size_t shown = std::min(kFrames, settled_.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Settled& frame = settled_[shown == 1 ? 0 : i * (settled_.size() - 1) / (shown - 1)];
      for (const auto& [block, state] : frame.blocks)
        rows.push_back(json::object{{"frame", fmt::format("Step {}: {}", frame.step, frame.sentence)},
                                    {"benchmark", benchmark},
                                    {"level", size(block.bytes)},
                                    {"begin", static_cast<double>(block.begin) / 1024},
                                    {"end", static_cast<double>(block.begin + block.bytes) / 1024},
                                    {"state", name_of(state)},
                                    {"letter", std::string(kLetters[static_cast<std::size_t>(state)])}});
    }
    return rows;
  }

  json::array level_names() const {
    json::array names;
    for (std::int64_t bytes = range_; bytes >= leaf_; bytes /= 2) names.emplace_back(size(bytes));
    return names;
  }
  std::size_t levels() const {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(range_ / leaf_)));
  }
  std::size_t step_count() const { return steps_.size(); }
  std::string range_size() const { return size(range_); }

 private:
  static constexpr std::size_t kMostLevels = 12, kMostSteps = 5000, kFrames = 7;

  struct Settled {
    std::size_t step;
    std::string sentence;
    Blocks blocks;
  };

  bool read(const ReplayEvent& event) {
    const auto value = [&](const char* name) {
      const auto found = event.args.find(name);
      return found == event.args.end() ? -1 : found->second;
    };
    now_ = {value("bytes"), value("position")};
    requested_ = std::max(value("requested"), std::int64_t{1});
    if (event.name == "range") leaf_ = value("leaf");
    return now_.bytes > 0 && now_.begin >= 0;
  }

  bool is(const BlockKey& block, State state) const {
    const auto found = blocks_.find(block);
    return found != blocks_.end() && found->second == state;
  }

  void set(const BlockKey& block, State state) {
    if (state == State::kNone)
      blocks_.erase(block);
    else
      blocks_[block] = state;
    const auto level = std::bit_width(static_cast<std::uint64_t>(range_ / block.bytes)) - 1;
    changed_.push_back(json::array{level, block.begin / leaf_, name_of(state)});
  }

  bool apply(std::string_view name) {
    const BlockKey low{now_.bytes / 2, now_.begin}, high{now_.bytes / 2, now_.begin + now_.bytes / 2};
    if (name == "split") {
      if (!is(now_, State::kFree) || now_.bytes <= leaf_) return false;
      set(now_, State::kSplit);
      set(low, State::kFree);
      set(high, State::kFree);
    } else if (name == "merge") {
      if (!is(now_, State::kSplit) || !is(low, State::kFree) || !is(high, State::kFree)) return false;
      set(low, State::kNone);
      set(high, State::kNone);
      set(now_, State::kFree);
    } else if (name == "allocate") {
      if (!is(now_, State::kFree)) return false;
      set(now_, State::kAllocated);
    } else if (name == "free") {
      if (!is(now_, State::kAllocated)) return false;
      set(now_, State::kFree);
    } else {
      return false;
    }
    return true;
  }

  std::string sentence(std::string_view name) const {
    if (name == "split") return fmt::format("Split {} into two of {}.", size(now_.bytes), size(now_.bytes / 2));
    if (name == "merge") return fmt::format("Merge two of {} into {}.", size(now_.bytes / 2), size(now_.bytes));
    const std::string block =
        requested_ == 1 || requested_ == now_.bytes ? "" : fmt::format(", a block of {}", size(now_.bytes));
    return fmt::format("{} {}{}.", name == "free" ? "Free" : "Allocate", size(requested_), block);
  }

  void end_step(const std::string& sentence, bool is_settled) {
    if (is_settled) settled_.push_back({steps_.size(), sentence, blocks_});
    steps_.push_back(json::array{sentence, std::move(changed_)});
    changed_ = {};
  }

  BlockKey now_;  ///< the event's block
  std::int64_t requested_ = 0, range_ = 0, leaf_ = 0;
  Blocks blocks_;
  json::array changed_, steps_;
  std::vector<Settled> settled_;
};

}  // namespace

std::optional<Chart> replay_chart(std::string_view name, const std::string& benchmark,
                                  const std::vector<ReplayEvent>& events) {
  Replay replay;
  if (!replay.run(events)) return std::nullopt;
  Chart chart("blocks", name);
  chart.text =
      fmt::format("Still frames of a tree of {} over {} steps: its blocks by size, each free, allocated or split.",
                  replay.range_size(), replay.step_count());
  chart.data = {{"rows", replay.frame_rows(benchmark)}};
  chart.values = {{"levels", replay.level_names()}, {"step", static_cast<std::int64_t>(11)}};
  chart.replay = replay.data();
  return chart;
}

}  // namespace lab::report
