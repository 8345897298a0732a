#include "harness/judge/driver_verdict.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace lab::judge {

namespace {

using results::Article;
using results::ClaimScope;
using results::DriverClaim;
using results::DriverColumn;

using Columns = std::vector<const DriverColumn*>;

const std::vector<std::string> kAnyDriver{"*"};

DriverVerdict verdict_on_platform(std::size_t holds, std::size_t fails) {
  if (holds + fails == 0) return DriverVerdict::kOpen;
  if (holds == 0) return DriverVerdict::kDoesNotHold;
  return fails == 0 ? DriverVerdict::kHolds : DriverVerdict::kDiffers;
}

/// Why the columns of a platform decide nothing although some answered; "" if they do.
std::string too_few_on_platform(const JudgedDriverClaim& judged) {
  const DriverColumn* only = nullptr;
  for (const ColumnOutcome& one : judged.columns)
    if (one.outcome.answered && one.outcome.holds && std::exchange(only, one.column) != nullptr) return "";
  return only == nullptr || !only->driver.simulated ? "" : "one version of its driver answered, on a simulated device";
}

/// Why the columns that answered decide nothing about drivers in general; "" if they do.
std::string too_few_drivers(const JudgedDriverClaim& judged) {
  std::string only;
  for (const ColumnOutcome& one : judged.columns) {
    if (!one.outcome.answered || !one.outcome.holds) continue;
    const std::string driver = driver_of(*one.column);
    if (!only.empty() && driver != only) return "";
    only = driver;
  }
  return only.empty() ? "" : fmt::format("one driver answered, {}", only);
}

/// An example needs one column, an exception too. All other verdicts are about drivers in general.
DriverVerdict verdict_elsewhere(ClaimScope scope, JudgedDriverClaim& judged) {
  const std::size_t holds = judged.with(true).size(), fails = judged.with(false).size();
  if (holds + fails == 0) return DriverVerdict::kOpen;
  if (scope == ClaimScope::kSomeDriver && holds > 0) return DriverVerdict::kHolds;
  if (scope == ClaimScope::kEachDriver && fails > 0) return DriverVerdict::kDoesNotHold;
  judged.too_few = too_few_drivers(judged);
  if (!judged.too_few.empty()) return DriverVerdict::kOpen;
  const DriverCounts drivers = judged.drivers();
  switch (scope) {
    case ClaimScope::kEachDriver:
      return DriverVerdict::kHolds;
    case ClaimScope::kMostDrivers:
      return 2 * drivers.holds > drivers.answered ? DriverVerdict::kHolds : DriverVerdict::kDoesNotHold;
    case ClaimScope::kSomeDriver:
      return DriverVerdict::kNotSeen;
    default:
      break;
  }
  const bool known = judged.with(std::nullopt).empty() && holds > judged.silent();
  if (fails == 0) return known ? DriverVerdict::kGeneralises : DriverVerdict::kOpen;
  return holds == 0 ? DriverVerdict::kDoesNotGeneralise : DriverVerdict::kInPart;
}

/// Judges one article's claims, one after the other.
class DriverJudge {
 public:
  DriverJudge(const Article& article, std::span<const DriverColumn> atlas,
              std::span<const results::MemoryFindings> memory, bool disturbed)
      : article_(article), atlas_(atlas), memory_(memory), disturbed_(disturbed), other_(answering(kAnyDriver)) {
    for (const auto& [name, platform] : article.platforms) {
      Columns columns = answering(platform.columns);
      if (columns.empty()) judged_.missing.push_back(name);
      for (const DriverColumn* column : columns) std::erase(other_, column);
      surveyed_[name] = std::move(columns);
    }
  }

  void add(const results::Claim& claim, const DriverClaim& driver_claim) {
    switch (driver_claim.scope) {
      case ClaimScope::kPlatform:
        if (!add_platform(claim, driver_claim, driver_claim.about)) ++judged_.unanswered;
        break;
      case ClaimScope::kEachPlatform:
        for (const auto& [name, columns] : surveyed_) add_platform(claim, driver_claim, name);
        count_missing();
        add_elsewhere(claim, driver_claim, other_);
        break;
      case ClaimScope::kSomePlatform:
        add_some_platform(claim, driver_claim);
        count_missing();
        break;
      default:
        add_elsewhere(claim, driver_claim, answering(driver_claim.columns.empty() ? kAnyDriver : driver_claim.columns));
    }
  }

  JudgedDriverClaims take() { return std::move(judged_); }

 private:
  /// The columns that match, without drivers that failed before they answered.
  Columns answering(const std::vector<std::string>& globs) const {
    Columns columns = columns_like(globs, atlas_);
    std::erase_if(columns,
                  [](const DriverColumn* column) { return column->images.empty() && column->buffers.empty(); });
    return columns;
  }

  JudgedDriverClaim checked(const results::Claim& claim, const DriverClaim& driver_claim,
                            const Columns& columns) const {
    JudgedDriverClaim judged{&claim, &driver_claim, "", DriverVerdict::kOpen, {}};
    for (const DriverColumn* column : columns) {
      CheckOutcome outcome = check_claim(driver_claim.check, *column, article_.sweep, memory_of(column->name));
      if (disturbed_ && judges_times(driver_claim.check) && !column->kept && outcome.holds) {
        outcome.holds.reset();
        outcome.found += ", disturbed, not judged";
      }
      judged.columns.push_back({column, std::move(outcome)});
    }
    return judged;
  }

  const results::MemoryFindings* memory_of(const std::string& column) const {
    const auto found = std::ranges::find(memory_, column, &results::MemoryFindings::column);
    return found == memory_.end() ? nullptr : &*found;
  }

  bool add_platform(const results::Claim& claim, const DriverClaim& driver_claim, const std::string& platform) {
    const Columns& columns = surveyed_.at(platform);
    if (columns.empty()) return false;
    JudgedDriverClaim judged = checked(claim, driver_claim, columns);
    judged.platform = platform;
    judged.too_few = too_few_on_platform(judged);
    if (judged.too_few.empty())
      judged.verdict = verdict_on_platform(judged.with(true).size(), judged.with(false).size());
    judged_.surveyed.push_back(std::move(judged));
    return true;
  }

  /// One platform is enough. Without one, the claim is open until all platforms have answered.
  void add_some_platform(const results::Claim& claim, const DriverClaim& driver_claim) {
    JudgedDriverClaim judged{&claim, &driver_claim, "", DriverVerdict::kDoesNotHold, {}};
    for (const auto& [name, columns] : surveyed_) {
      JudgedDriverClaim one = checked(claim, driver_claim, columns);
      const bool undecided = (one.with(true).empty() && one.with(false).empty()) || !too_few_on_platform(one).empty();
      if (one.with(true).empty() && undecided && judged.verdict == DriverVerdict::kDoesNotHold)
        judged.verdict = DriverVerdict::kOpen;
      if (!one.with(true).empty()) judged.verdict = DriverVerdict::kHolds;
      std::move(one.columns.begin(), one.columns.end(), std::back_inserter(judged.columns));
    }
    if (!judged.columns.empty()) judged_.surveyed.push_back(std::move(judged));
  }

  void add_elsewhere(const results::Claim& claim, const DriverClaim& driver_claim, const Columns& columns) {
    if (columns.empty()) return;
    JudgedDriverClaim judged = checked(claim, driver_claim, columns);
    judged.verdict = verdict_elsewhere(driver_claim.scope, judged);
    judged_.elsewhere.push_back(std::move(judged));
  }

  void count_missing() {
    if (!judged_.missing.empty()) ++judged_.partly;
  }

  const Article& article_;
  std::span<const DriverColumn> atlas_;
  std::span<const results::MemoryFindings> memory_;
  bool disturbed_;
  Columns other_;                            ///< of no platform
  std::map<std::string, Columns> surveyed_;  ///< by platform
  JudgedDriverClaims judged_;
};

}  // namespace

std::string_view to_string(DriverVerdict verdict) {
  constexpr std::array<std::string_view, 8> kNames{"holds",   "does not hold",       "differs",  "generalises",
                                                   "in part", "does not generalise", "not seen", "open"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string driver_of(const DriverColumn& column) {
  return column.imported || column.driver.short_name.empty() ? column.name : column.driver.short_name;
}

std::vector<ColumnOutcome> JudgedDriverClaim::with(std::optional<bool> holds) const {
  std::vector<ColumnOutcome> found;
  for (const ColumnOutcome& one : columns)
    if (one.outcome.answered && one.outcome.holds == holds) found.push_back(one);
  return found;
}

std::size_t JudgedDriverClaim::silent() const {
  return static_cast<std::size_t>(
      std::count_if(columns.begin(), columns.end(), [](const ColumnOutcome& one) { return !one.outcome.answered; }));
}

DriverCounts JudgedDriverClaim::drivers() const {
  std::map<std::string, DriverCounts> by_driver;
  for (const ColumnOutcome& one : columns) {
    if (!one.outcome.answered || !one.outcome.holds) continue;
    DriverCounts& counts = by_driver[driver_of(*one.column)];
    counts.holds += *one.outcome.holds;
    ++counts.answered;
  }
  DriverCounts all;
  for (const auto& [driver, counts] : by_driver) {
    all.holds += 2 * counts.holds > counts.answered;
    ++all.answered;
  }
  return all;
}

JudgedDriverClaims judge_driver_claims(const Article& article, std::span<const DriverColumn> atlas,
                                       std::span<const results::MemoryFindings> memory, bool disturbed) {
  DriverJudge judge(article, atlas, memory, disturbed);
  for (const results::Claim& claim : article.claims)
    if (const auto* driver_claim = std::get_if<DriverClaim>(&claim.kind)) judge.add(claim, *driver_claim);
  return judge.take();
}

std::vector<const DriverColumn*> columns_like(const std::vector<std::string>& globs,
                                              std::span<const DriverColumn> atlas) {
  std::vector<const DriverColumn*> found;
  for (const DriverColumn& column : atlas)
    if (column.environment.empty() && std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
          return ::fnmatch(glob.c_str(), column.name.c_str(), FNM_CASEFOLD) == 0;
        }))
      found.push_back(&column);
  return found;
}

}  // namespace lab::judge
