#include "harness/results/article.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/base/files.h"
#include "harness/base/json_kinds.h"
#include "harness/base/json_struct.h"
#include "harness/results/described.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

using ClaimKind = decltype(Claim::kind);

/// "0.195 %", "67,108,864". False if it is no such number.
bool parse_printed(PrintedNumber& number) {
  std::string digits = number.text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.erase(digits.find_last_not_of(" %") + 1);
  std::erase(digits, ',');
  char* end = nullptr;
  number.value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || digits.find_first_not_of("+-.0123456789") != std::string::npos) return false;
  const std::size_t point = digits.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  const double scale = percent ? 0.01 : 1;
  number.value *= scale;
  number.accuracy = std::pow(10, -decimals) * scale;
  return true;
}

}  // namespace

void fields(FieldReader& f, ArticleSource& source) {
  f("title", source.title);
  f("author", source.author);
  f("year", source.year);
  f.added("address", source.address);
  if (!source.address.empty() && !source.address.starts_with("https://"))
    f.refuse("address", fmt::format("expected https://..., found '{}'", source.address));
}
LAB_JSON_STRUCT(ArticleRow, variants, values)
LAB_JSON_STRUCT(Platform, what, columns)
LAB_JSON_STRUCT(PolicyRule, part, rule)
LAB_JSON_STRUCT(SmallestImageStorage, platform)
LAB_JSON_STRUCT(HeapShare, parts)
LAB_JSON_STRUCT(NoFigure, reason)
LAB_JSON_STRUCT(ClaimNeed, metric, least)

LAB_JSON_STRUCT(RatioCase, (when), from, to)

/// A ratio of one case has its two variants in place of a list.
void fields(FieldReader& f, Ratio& ratio) {
  f("metric", ratio.metric);
  f.added("workload", ratio.workload);
  f.added("cases", ratio.cases);
  if (ratio.cases.empty()) fields(f, ratio.cases.emplace_back());
}

void fields(FieldReader& f, RatioClaim& claim) {
  fields(f, claim.ratio);
  f.added("also", claim.also);
  f.added("stated", claim.stated);
}

LAB_JSON_STRUCT(Quantity, benchmarks, metric, (over), (exhibit))

void read_number(FieldReader& f, const char* field, PrintedNumber& number) {
  f(field, number.text);
  if (!f.failed() && !parse_printed(number))
    f.refuse(field, fmt::format("expected a number such as '0.195 %', found '{}'", number.text));
}

void fields(FieldReader& f, ExactClaim& claim) {
  fields(f, claim.quantity);
  read_number(f, "stated", claim.stated);
}

void read_bound(FieldReader& f, ClaimKind& kind) {
  auto& claim = kind.emplace<ExactClaim>();
  fields(f, claim.quantity);
  std::string least;
  f.added("least", least);
  claim.relation = least.empty() ? ExactClaim::Relation::kMost : ExactClaim::Relation::kLeast;
  read_number(f, least.empty() ? "most" : "least", claim.stated);
}

void fields(FieldReader& f, FormulaClaim& claim) {
  fields(f, claim.quantity);
  std::string stated;
  f("stated", stated);
  if (f.failed()) return;
  if (Expected<Formula> formula = Formula::parse(stated))
    claim.stated = std::move(*formula);
  else
    f.refuse("stated", formula.error().what);
}

void fields(FieldReader& f, OrderClaim& claim) {
  f("metric", claim.metric);
  f.added("workload", claim.workload);
  f("order", claim.variants);
  if (claim.variants.size() < 2)
    f.refuse("order", fmt::format("expected at least 2 variants, found {}", claim.variants.size()));
}

LAB_JSON_STRUCT(HeapCheck, (bytes), device_local, host_visible)

// The fields of checks.
using ReadCheck = void (*)(FieldReader&, DriverCheck&);
constexpr ReadCheck kBytes = [](FieldReader& f, DriverCheck& check) { f("bytes", check.bytes); };
constexpr ReadCheck kImage = [](FieldReader& f, DriverCheck& check) { f("image", check.image); };
constexpr ReadCheck kStorage = [](FieldReader& f, DriverCheck& check) { f("storage", check.storage); };
constexpr ReadCheck kAlignment = [](FieldReader& f, DriverCheck& check) { f("alignment", check.alignment); };
constexpr ReadCheck kImages = [](FieldReader& f, DriverCheck& check) {
  f("images", check.images);
  if (check.images.size() < 2) f.refuse("images", fmt::format("expected at least 2, found {}", check.images.size()));
};
constexpr ReadCheck kMost = [](FieldReader& f, DriverCheck& check) { f("most", check.most); };
constexpr ReadCheck kLow = [](FieldReader& f, DriverCheck& check) { f("low", check.low); };
constexpr ReadCheck kHigh = [](FieldReader& f, DriverCheck& check) { f("high", check.high); };
constexpr ReadCheck kLimit = [](FieldReader& f, DriverCheck& check) { f("limit", check.limit); };
constexpr ReadCheck kBelow = [](FieldReader& f, DriverCheck& check) { f("below", check.below); };
constexpr ReadCheck kAbove = [](FieldReader& f, DriverCheck& check) { f("above", check.above); };
constexpr ReadCheck kHeaps = [](FieldReader& f, DriverCheck& check) { f("heaps", check.heaps); };
constexpr ReadCheck kFactor = [](FieldReader& f, DriverCheck& check) { f("factor", check.factor); };
constexpr ReadCheck kOperation = [](FieldReader& f, DriverCheck& check) { f("operation", check.operation); };

template <ReadCheck... kFields>
void read_all(FieldReader& f, DriverCheck& check) {
  (kFields(f, check), ...);
}

void fields(FieldReader& f, DriverCheck& check) {
  static constexpr JsonKind<DriverCheck> kKinds[] = {
      {"image alignments", read_all<kBytes>},
      {"smallest image alignment", read_all<kBytes>},
      {"smallest image storage", read_all<kBytes>},
      {"first image aligned", read_all<kImage, kBytes>},
      {"no alignment rule", read_all<>},
      {"image storage", read_all<kImage, kBytes>},
      {"image alignment", read_all<kImage, kBytes>},
      {"image storage and alignment", read_all<kImage, kStorage, kAlignment>},
      {"image storage near", read_all<kImage, kStorage>},
      {"image storage just over", read_all<kImage, kStorage>},
      {"image storage within", read_all<kImage, kStorage>},
      {"same image storage", read_all<kImages>},
      {"least image storage", read_all<>},
      {"power-of-two image storage", read_all<>},
      {"no power-of-two image storage", read_all<>},
      {"few image alignments", read_all<kMost, kLow, kHigh>},
      {"power-of-two alignments", read_all<>},
      {"one buffer alignment", read_all<>},
      {"buffer alignments", read_all<kLow, kHigh>},
      {"buffer alignment by limit", read_all<kLimit>},
      {"small buffer storage", read_all<kBelow, kBytes>},
      {"buffer extra", read_all<kAbove, kMost>},
      {"same for buffer usages", read_all<>},
      {"linear tiling relaxes", read_all<>},
      {"limit at least", read_all<kLimit, kLow>},
      {"limit at most", read_all<kLimit, kMost>},
      {"heaps", read_all<kHeaps>},
      {"separate memory types", read_all<>},
      {"allocations at once", read_all<kLow>},
      {"linear sampling slower", read_all<kFactor>},
      {"operation within", read_all<kOperation, kMost>}};
  check.kind = read_kind<DriverCheck>(f, kKinds, check);
  f.added("about", check.about);
  f.added("typically", check.typically);
  if (!(check.about >= 0 && check.about < 1))
    f.refuse("about", fmt::format("expected a share from 0 to below 1, found {}", check.about));
  if (!(check.typically > 0 && check.typically <= 1))
    f.refuse("typically", fmt::format("expected a share above 0 to 1, found {}", check.typically));
}

/// The words of `about`. Any other text is the name of a platform.
constexpr std::pair<std::string_view, ClaimScope> kScopes[] = {{"each platform", ClaimScope::kEachPlatform},
                                                               {"some platform", ClaimScope::kSomePlatform},
                                                               {"each driver", ClaimScope::kEachDriver},
                                                               {"most drivers", ClaimScope::kMostDrivers},
                                                               {"some driver", ClaimScope::kSomeDriver}};

void fields(FieldReader& f, DriverClaim& claim) {
  f("about", claim.about);
  f.added("columns", claim.columns);
  f.added("note", claim.note);
  f("check", claim.check);
  for (const auto& [words, scope] : kScopes)
    if (claim.about == words) claim.scope = scope;
}

using FigureKind = decltype(Erratum::measured);

void fields(FieldReader& f, Claim& claim) {
  static constexpr JsonKind<ClaimKind> kKinds[] = {
      {"ratio", read_alternative<RatioClaim>},
      {"exact", read_alternative<ExactClaim>},
      {"bound", read_bound},
      {"formula", read_alternative<FormulaClaim>},
      {"order", read_alternative<OrderClaim>},
      {"driver", read_alternative<DriverClaim>},
      {"text", [](FieldReader&, ClaimKind& kind) { kind.emplace<TextClaim>(); }}};
  f("claim", claim.text);
  for (const auto& [field, sentence] :
       {std::pair{"passage", &claim.basis.passage}, {"decides", &claim.basis.decides}, {"here", &claim.basis.here}}) {
    f(field, *sentence);
    if (!f.failed() && sentence->empty()) f.refuse(field, "expected a sentence, found none");
  }
  f.added("needs", claim.need);
  read_kind<ClaimKind>(f, kKinds, claim.kind);
}

void fields(FieldReader& f, FigureKind& figure) {
  static constexpr JsonKind<FigureKind> kKinds[] = {
      {"ratio", read_alternative<Ratio>},
      {"value", read_alternative<Quantity>},
      {"smallest image storage", read_alternative<SmallestImageStorage>},
      {"heap share", read_alternative<HeapShare>},
      {"allocation limit", [](FieldReader&, FigureKind& kind) { kind.emplace<AllocationLimit>(); }},
      {"none", read_alternative<NoFigure>}};
  read_kind<FigureKind>(f, kKinds, figure);
}

void fields(FieldReader& f, Erratum& erratum) {
  f("claim", erratum.claim);
  f("article", erratum.printed);
  f("arithmetic", erratum.arithmetic);
  f("measured", erratum.measured);
}

void fields(FieldReader& f, RatioChart& chart) {
  static constexpr JsonKind<RatioChart> kKinds[] = {{"ratios", [](FieldReader& r, RatioChart& c) {
                                                       r("name", c.name);
                                                       r("metric", c.metric);
                                                       r("reference", c.reference);
                                                       r("at", c.at);
                                                       r.added("note", c.note);
                                                     }}};
  read_kind<RatioChart>(f, kKinds, chart);
}

void fields(FieldReader& f, Article& article) {
  f("source", article.source);
  f.added("machine", article.machine);
  f.added("workload", article.workload);
  f.added("also", article.also);
  f.added("note", article.note);
  f.added("table", article.table);
  f.added("charts", article.charts);
  f.added("texel_bytes", article.sweep.texel_bytes);
  f.added("least_dimension", article.sweep.least_dimension);
  f.added("platforms", article.platforms);
  f("claims", article.claims);
  f("errata", article.errata);
  f.added("policy", article.policy);
}

namespace {

Error wrong(const std::string& sentence) {
  return {sentence, "", ExitStatus::kUsage};
}

/// Fills in what a part of an article takes from the whole, and checks what it refers to. An error says which part it
/// is about.
class Completion {
 public:
  Completion(const Article& article, std::string part) : article_(article), part_(std::move(part)) {}

  Expected<void> operator()(Ratio& ratio) const {
    std::vector<std::string> benchmarks;
    for (const RatioCase& one : ratio.cases) benchmarks.insert(benchmarks.end(), {one.from, one.to});
    if (Expected<void> known = take_workload(ratio.workload, benchmarks); !known) return known;
    for (RatioCase& one : ratio.cases)
      if (const auto from = article_.figure(one.from, ratio.metric), to = article_.figure(one.to, ratio.metric);
          from && to)
        one.from_table = *from / *to;
    return {};
  }
  Expected<void> operator()(RatioClaim& claim) const {
    if (claim.also.empty()) claim.also = article_.also;
    if (Expected<void> completed = (*this)(claim.ratio); !completed) return completed;
    for (const RatioCase& one : claim.ratio.cases)
      if (!one.from_table && !claim.stated)
        return wrong(fmt::format("{}: expected 'stated', or figures of '{}' for {} and {} in the table, found neither",
                                 part_, claim.ratio.metric, one.from, one.to));
    return {};
  }
  Expected<void> operator()(Quantity& quantity) const {
    quantity.benchmarks = fmt::format("{}/{}", article_.family, quantity.benchmarks);
    return needs_family();
  }
  Expected<void> operator()(ExactClaim& claim) const { return (*this)(claim.quantity); }
  Expected<void> operator()(FormulaClaim& claim) const { return (*this)(claim.quantity); }
  Expected<void> operator()(OrderClaim& claim) const { return take_workload(claim.workload, claim.variants); }
  Expected<void> operator()(const DriverClaim& claim) const {
    return claim.scope == ClaimScope::kPlatform ? has_platform(claim.about) : Expected<void>{};
  }
  Expected<void> operator()(const SmallestImageStorage& figure) const { return has_platform(figure.platform); }
  Expected<void> operator()(const RatioChart& chart) const {
    if (article_.workload.empty())
      return wrong(fmt::format("{}: expected 'workload' in the article, found none", part_));
    if (article_.figure(chart.reference, chart.metric)) return needs_family();
    return wrong(fmt::format("{}: expected a figure of '{}' for the reference {} in the table, found none", part_,
                             chart.metric, chart.reference));
  }
  /// Nothing to fill in.
  template <typename Other>
  Expected<void> operator()(const Other&) const {
    return {};
  }

 private:
  /// No workload is needed where each benchmark names its own.
  Expected<void> take_workload(std::string& workload, const std::vector<std::string>& benchmarks) const {
    if (workload.empty()) workload = article_.workload;
    const bool named =
        std::ranges::all_of(benchmarks, [](const std::string& one) { return one.find('/') != std::string::npos; });
    if (workload.empty() && !named)
      return wrong(fmt::format("{}: expected 'workload' there or in the article, found none", part_));
    return needs_family();
  }
  Expected<void> has_platform(const std::string& name) const {
    if (article_.platforms.contains(name)) return {};
    return wrong(fmt::format("{}: unknown platform '{}'", part_, name));
  }
  Expected<void> needs_family() const {
    if (!article_.family.empty()) return {};
    return wrong(fmt::format("{}: it is about variants, so the file belongs in variants/<family>/articles", part_));
  }

  const Article& article_;
  std::string part_;
};

Expected<void> complete(Article& article) {
  const auto completion = [&](const char* what, const std::string& name) {
    return Completion(article, fmt::format("{} '{}'", what, name));
  };
  for (Claim& claim : article.claims)
    if (Expected<void> done = std::visit(completion("the claim", claim.text), claim.kind); !done) return done;
  for (Erratum& erratum : article.errata)
    if (Expected<void> done = std::visit(completion("the erratum", erratum.claim), erratum.measured); !done)
      return done;
  for (const RatioChart& chart : article.charts)
    if (Expected<void> done = completion("the chart", chart.name)(chart); !done) return done;
  return {};
}

/// The articles of one folder.
Expected<void> add_articles(const fs::path& folder, const std::string& family, std::vector<Article>& articles) {
  for (const fs::path& file : sorted_files(folder, ".json")) {
    Expected<Article> article = load_described<Article>(file);
    if (!article) return article.error();
    article->name = file.stem().string();
    article->family = family;
    if (const Expected<void> done = complete(*article); !done) return about_file(file, done.error());
    if (std::any_of(articles.begin(), articles.end(), [&](const Article& one) { return one.name == article->name; }))
      return about_file(file, wrong("another article has the same name: give it another"));
    articles.push_back(std::move(*article));
  }
  return {};
}

}  // namespace

std::optional<double> Article::figure(const std::string& variant, const std::string& metric) const {
  for (const ArticleRow& row : table)
    if (std::find(row.variants.begin(), row.variants.end(), variant) != row.variants.end())
      if (const auto value = row.values.find(metric); value != row.values.end()) return value->second;
  return std::nullopt;
}

Expected<std::vector<Article>> load_articles(const fs::path& root) {
  std::vector<Article> articles;
  for (const fs::path& family : sorted_files(root / "variants", ""))
    if (const Expected<void> added = add_articles(family / "articles", family.filename().string(), articles); !added)
      return added.error();
  if (const Expected<void> added = add_articles(root / "results/published", "", articles); !added) return added.error();
  return articles;
}

}  // namespace lab::results
