/// Articles as data: what somebody published about a family (variants/<family>/articles/*.json) or about Vulkan drivers
/// (results/published/*.json). harness/docs/formats.md describes the format.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/formula.h"

namespace lab::results {

struct ArticleSource {
  std::string title;
  std::string author;
  int year = 0;
  std::string address = {};  ///< where it can be read: "https://..."; "" if it is not known
};

/// A row of the article's own table.
struct ArticleRow {
  std::vector<std::string> variants;     ///< the variants here that the row is about
  std::map<std::string, double> values;  ///< by metric
};

/// Two benchmarks that a ratio is about, each a variant, or "variant/workload" if it has a workload of its own. Where
/// the article leaves a condition open, there is a case for each choice.
struct RatioCase {
  std::string when;  ///< the condition; "" if there is one case
  std::string from;
  std::string to;
  std::optional<double> from_table = {};  ///< the ratio of the article's own figures; computed, not in the file
};

/// A metric of `from` over the same metric of `to`. A metric is a phase, "time" (the sum of the phases) or a counter.
struct Ratio {
  std::string metric;
  std::string workload;  ///< that of the article if the file gives none
  std::vector<RatioCase> cases;
};

/// A metric of every benchmark that a glob matches, or its share of another metric.
struct Quantity {
  std::string benchmarks;  ///< a glob over "family/variant/workload"; the file omits the family
  std::string metric;
  std::string over = {};     ///< "": the metric itself
  std::string exhibit = {};  ///< the exhibit whose figures `metric` and `over` are; "": they are counters
};

/// A claim that a ratio has a size: above 1, `to` needs less time (or less of another metric) than `from`.
struct RatioClaim {
  Ratio ratio;
  std::vector<std::string> also;  ///< further workloads, shown but not judged
  std::optional<double> stated;   ///< as printed; none if the article gives only the figures of its table
};

/// A number as printed, such as "0.195 %".
struct PrintedNumber {
  std::string text;
  double value = 0;     ///< 0.00195
  double accuracy = 0;  ///< one unit of its last digit: 0.00001
};

/// A claim that a quantity without noise has a value, or is at least or at most that.
struct ExactClaim {
  enum class Relation { kEqual, kLeast, kMost };

  Quantity quantity;
  PrintedNumber stated;
  Relation relation = Relation::kEqual;
};

/// A claim that a quantity without noise follows from other metrics of the same benchmark.
struct FormulaClaim {
  Quantity quantity;
  Formula stated;
};

/// A claim that a metric grows from each variant to the next.
struct OrderClaim {
  std::string metric;
  std::string workload;               ///< "" if each of them has its own
  std::vector<std::string> variants;  ///< or "variant/workload"
};

using ImageSize = std::array<std::uint64_t, 2>;  ///< width and height

/// A memory heap that an article names.
struct HeapCheck {
  std::uint64_t bytes = 0;  ///< 0: not judged
  bool device_local = false;
  bool host_visible = false;  ///< whether any memory type of this heap is
};

/// How to test a claim on a driver column. `kind` says which of the other fields are set.
struct DriverCheck {
  std::string kind;
  std::vector<std::uint64_t> bytes = {};  ///< the article's figures
  ImageSize image{};
  std::vector<ImageSize> images = {};
  std::uint64_t storage = 0, alignment = 0;  ///< of `image`
  std::uint64_t most = 0, low = 0, high = 0, below = 0, above = 0;
  std::string limit = {};      ///< name of a limit
  std::string operation = {};  ///< of real allocations (memory_findings.h)
  double factor = 0;           ///< least ratio of two times
  std::vector<HeapCheck> heaps = {};
  double about = 0;      ///< tolerance of the article's figures, a share: what "about" is read as
  double typically = 1;  ///< least share of the sizes: what "typically" is read as
};

/// The drivers that a claim is about.
enum class ClaimScope {
  kPlatform,      ///< one of the article's platforms
  kEachPlatform,  ///< each of them; on other drivers, whether it generalises
  kSomePlatform,  ///< at least one of them
  kEachDriver,
  kMostDrivers,
  kSomeDriver,  ///< an example without a name
};

/// A claim about the memory requirements of a driver.
struct DriverClaim {
  std::string about;  ///< name of a platform, or one of the other scopes in words: "each platform"
  ClaimScope scope = ClaimScope::kPlatform;
  std::vector<std::string> columns;  ///< of a claim about drivers: globs over their driver columns; empty: all
  std::string note;                  ///< what the reader has to know about the check: sentences, or ""
  DriverCheck check;
};

/// A claim that nothing here can answer: its basis says why.
struct TextClaim {};

/// Why a verdict on a claim is one on what the article says. Each is one or more sentences, without a full stop at the
/// end.
struct ClaimBasis {
  std::string passage;  ///< where the claim stands in the article, and what it says there, in our words
  std::string decides;  ///< what would decide it, on any machine
  std::string here;     ///< why what is judged here is that, and what it leaves open
};

/// What the session must have for a claim to be judged: a metric of one of its benchmarks, at least so large. A claim
/// about several threads is open where there is one.
struct ClaimNeed {
  std::string metric;
  double least = 0;
};

struct Claim {
  std::string text;
  std::variant<RatioClaim, ExactClaim, FormulaClaim, OrderClaim, DriverClaim, TextClaim> kind;
  ClaimBasis basis = {};
  std::optional<ClaimNeed> need = {};
};

/// Figures of a driver column: where an erratum's measured figure comes from.
struct SmallestImageStorage {
  std::string platform;  ///< its columns
};
struct HeapShare {
  std::uint64_t parts = 0;
};
struct AllocationLimit {};  ///< what vkAllocateMemory returned beyond the limit on allocations
struct NoFigure {
  std::string reason;
};

/// An error in the article.
struct Erratum {
  std::string claim;
  std::string printed;
  std::string arithmetic;
  std::variant<Ratio, Quantity, SmallestImageStorage, HeapShare, AllocationLimit, NoFigure> measured;
};

/// A chart of the ratio of each variant of the table to one of them, here and in the article.
struct RatioChart {
  std::string name;
  std::string metric;
  std::string reference;  ///< a variant
  std::string at;         ///< what the metric measures: "adding"
  std::string note;
};

struct Platform {
  std::string what;
  std::vector<std::string> columns;  ///< globs over the names of its driver columns, in either case
};

/// One rule of what an article proposes to do.
struct PolicyRule {
  std::string part;  ///< "Size of an allocation"
  std::string rule;
};

/// The images whose memory requirements an article about drivers lists.
struct ImageSweep {
  std::uint64_t texel_bytes = 4;      ///< of its format
  std::uint64_t least_dimension = 1;  ///< narrower or lower images are not in the sweep
};

struct Article {
  std::string name;    ///< that of the file, without .json; unique
  std::string family;  ///< "" for an article about drivers
  ArticleSource source;
  std::string machine;            ///< where it measured, with an article: "an Intel Core i7"; "" if it does not say
  std::string workload;           ///< on which its claims are judged
  std::vector<std::string> also;  ///< further workloads for which they are shown
  std::string note;               ///< about the workload: a sentence, or ""
  std::vector<ArticleRow> table;
  std::vector<RatioChart> charts;
  ImageSweep sweep;
  std::map<std::string, Platform> platforms;
  std::vector<Claim> claims;
  std::vector<Erratum> errata;
  std::vector<PolicyRule> policy;

  /// The figure of its table; none if the table lacks it.
  std::optional<double> figure(const std::string& variant, const std::string& metric) const;
};

/// All articles of a checkout, sorted by family and name; those about drivers last. A missing folder has no articles.
/// An error names the file.
Expected<std::vector<Article>> load_articles(const std::filesystem::path& root);

}  // namespace lab::results
