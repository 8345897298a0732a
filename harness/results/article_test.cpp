#include "harness/results/article.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

std::vector<Article> committed() {
  return *load_articles(LAB_SOURCE_DIR);
}

/// An article with a claim of each kind about variants.
constexpr std::string_view kShelves = R"({
  "source": {"title": "On shelves", "author": "A. Writer", "year": 2020},
  "machine": "a desk", "workload": "store", "also": ["fetch"], "note": "It is small.",
  "table": [{"variants": ["plain", "plain_too"], "values": {"put": 6, "get": 4}},
            {"variants": ["quick"], "values": {"put": 3}}],
  "charts": [{"kind": "ratios", "name": "faster", "metric": "put", "reference": "plain", "at": "putting"}],
  "claims": [
    {"kind": "ratio", "claim": "Quick puts fast", "passage": "There", "decides": "A count", "here": "It counts", "metric": "put", "stated": 2.1,
     "cases": [{"when": "in order", "from": "plain", "to": "quick"}, {"when": "in disorder", "from": "plain_too", "to": "quick"}]},
    {"kind": "ratio", "claim": "Quick gets fast", "passage": "There", "decides": "A count", "here": "It counts", "metric": "get", "workload": "fetch", "also": ["drop"], "stated": 1.5,
     "from": "plain", "to": "quick"},
    {"kind": "exact", "claim": "One bit each", "passage": "There", "decides": "A count", "here": "It counts", "benchmarks": "quick/*", "metric": "bits", "over": "all", "stated": "12.5 %"},
    {"kind": "order", "claim": "Quick is quicker", "passage": "There", "decides": "A count", "here": "It counts", "metric": "time", "order": ["quick", "plain"], "needs": {"metric": "shelves", "least": 2}},
    {"kind": "bound", "claim": "Half is lost", "passage": "There", "decides": "A count", "here": "It counts", "benchmarks": "quick/*", "exhibit": "tree", "metric": "lost", "least": "50 %"},
    {"kind": "bound", "claim": "Little is lost", "passage": "There", "decides": "A count", "here": "It counts", "benchmarks": "quick/*", "metric": "lost", "most": "7"},
    {"kind": "formula", "claim": "An eighth", "passage": "There", "decides": "A count", "here": "It counts", "benchmarks": "quick/*", "metric": "bits", "over": "all", "stated": "1 / 8 / leaf"},
    {"claim": "Apart is quicker", "passage": "There", "decides": "A count", "here": "It counts", "metric": "time", "kind" : "order", "order": ["quick/apart", "quick/mixed"]}],
  "errata": [
    {"claim": "c", "article": "2.1", "arithmetic": "6 / 3 = 2", "measured": {"kind": "ratio", "metric": "put", "from": "plain", "to": "quick"}},
    {"claim": "d", "article": "8", "arithmetic": "9", "measured": {"kind": "value", "benchmarks": "quick/*", "metric": "bits"}},
    {"claim": "e", "article": "8", "arithmetic": "9", "measured": {"kind": "none", "reason": "it is a definition"}}]
})";

constexpr std::string_view kDrivers = R"({
  "source": {"title": "On drivers", "author": "B. Writer", "year": 2021},
  "texel_bytes": 8, "least_dimension": 2,
  "platforms": {"Here": {"what": "a driver", "columns": ["here-*", "*Here*"]}},
  "claims": [{"kind": "driver", "about": "Here", "claim": "Aligned", "passage": "There", "decides": "A count", "here": "It counts", "note": "As printed.", "check": {"kind": "image alignments", "bytes": [4096]}},
             {"kind": "driver", "about": "each driver", "claim": "Small", "passage": "There", "decides": "A count", "here": "It counts", "check": {"kind": "image storage", "image": [4, 8], "bytes": [128]}},
             {"kind": "driver", "about": "some driver", "columns": ["big-*"], "claim": "Two heaps", "passage": "There", "decides": "A count", "here": "It counts",
              "check": {"kind": "heaps", "about": 0.1, "heaps": [{"device_local": true, "host_visible": false, "bytes": 8000}, {"device_local": false, "host_visible": true}]}},
             {"kind": "driver", "about": "each platform", "claim": "Buffers", "passage": "There", "decides": "A count", "here": "It counts",
              "check": {"kind": "buffer extra", "above": 32, "most": 8, "about": 0.25, "typically": 0.9}},
             {"kind": "text", "claim": "Slow", "passage": "There", "decides": "A count", "here": "no column has times"}],
  "errata": [{"claim": "f", "article": "8", "arithmetic": "9", "measured": {"kind": "heap share", "parts": 62}},
             {"claim": "g", "article": "8", "arithmetic": "9", "measured": {"kind": "smallest image storage", "platform": "Here"}},
             {"claim": "h", "article": "8", "arithmetic": "9", "measured": {"kind": "allocation limit"}}],
  "policy": [{"part": "Size", "rule": "max(M, H / K) bytes"}]
})";

/// `text` with its only `from` replaced by `to`.
std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(changed.find(from, at + 1), std::string::npos) << from;
  return changed.replace(at, from.size(), to);
}

/// The articles of a checkout with these two.
Expected<std::vector<Article>> loaded(std::string_view shelves, std::string_view drivers = kDrivers) {
  const ScratchFolder root;
  root.write("variants/shelf/articles/shelves.json", shelves);
  root.write("results/published/drivers.json", drivers);
  return load_articles(root.path());
}

/// What is wrong with the file, after its path.
std::string error_of(const Expected<std::vector<Article>>& articles, const std::string& file) {
  if (articles) return "no error";
  EXPECT_EQ(articles.error().status, ExitStatus::kUsage);
  EXPECT_EQ(articles.error().hint, "see harness/docs/formats.md");
  const std::string& what = articles.error().what;
  const std::size_t end = what.find(file + "': ");
  return end == std::string::npos ? "no file in: " + what : what.substr(end + file.size() + 3);
}

}  // namespace

TEST(Article, has_claims_of_every_kind) {
  const Expected<std::vector<Article>> articles = loaded(kShelves);
  ASSERT_TRUE(articles) << articles.error().what;
  ASSERT_EQ(articles->size(), 2u);
  const Article& shelves = articles->front();
  EXPECT_EQ(shelves.name, "shelves");
  EXPECT_EQ(shelves.family, "shelf");
  EXPECT_EQ(shelves.source.author, "A. Writer");
  ASSERT_EQ(shelves.claims.size(), 8u);

  const auto& cases = std::get<RatioClaim>(shelves.claims[0].kind);
  EXPECT_EQ(cases.ratio.workload, "store") << "the article's";
  EXPECT_EQ(cases.also, std::vector<std::string>{"fetch"});
  EXPECT_EQ(cases.stated, 2.1);
  ASSERT_EQ(cases.ratio.cases.size(), 2u);
  EXPECT_EQ(cases.ratio.cases[1].when, "in disorder");
  EXPECT_EQ(cases.ratio.cases[1].from, "plain_too");
  EXPECT_EQ(cases.ratio.cases[1].from_table, 2.0);

  const auto& stated = std::get<RatioClaim>(shelves.claims[1].kind);
  EXPECT_EQ(stated.ratio.workload, "fetch");
  EXPECT_EQ(stated.also, std::vector<std::string>{"drop"});
  EXPECT_EQ(stated.ratio.cases.front().from_table, std::nullopt) << "the table has no such figure";

  const auto& exact = std::get<ExactClaim>(shelves.claims[2].kind);
  EXPECT_EQ(exact.quantity.benchmarks, "shelf/quick/*");
  EXPECT_EQ(exact.quantity.over, "all");
  EXPECT_DOUBLE_EQ(exact.stated.value, 0.125);
  EXPECT_DOUBLE_EQ(exact.stated.accuracy, 0.001);

  const auto& least = std::get<ExactClaim>(shelves.claims[4].kind);
  EXPECT_EQ(least.relation, ExactClaim::Relation::kLeast);
  EXPECT_EQ(least.quantity.exhibit, "tree");
  EXPECT_DOUBLE_EQ(least.stated.value, 0.5);
  const auto& most = std::get<ExactClaim>(shelves.claims[5].kind);
  EXPECT_EQ(most.relation, ExactClaim::Relation::kMost);
  EXPECT_EQ(most.stated.text, "7");
  const auto& formula = std::get<FormulaClaim>(shelves.claims[6].kind);
  EXPECT_EQ(formula.quantity.benchmarks, "shelf/quick/*");
  EXPECT_EQ(formula.stated.text(), "1 / 8 / leaf");

  const auto& order = std::get<OrderClaim>(shelves.claims[3].kind);
  EXPECT_EQ(order.workload, "store");
  EXPECT_EQ(order.variants, (std::vector<std::string>{"quick", "plain"}));
  ASSERT_TRUE(shelves.claims[3].need);
  EXPECT_EQ(shelves.claims[3].need->metric, "shelves");
  EXPECT_EQ(shelves.claims[3].need->least, 2);
  EXPECT_FALSE(shelves.claims[2].need);

  EXPECT_EQ(shelves.charts.front().reference, "plain");
  EXPECT_EQ(std::get<Ratio>(shelves.errata[0].measured).workload, "store");
  EXPECT_EQ(std::get<Quantity>(shelves.errata[1].measured).benchmarks, "shelf/quick/*");
  EXPECT_EQ(std::get<NoFigure>(shelves.errata[2].measured).reason, "it is a definition");

  const Article& drivers = articles->back();
  EXPECT_EQ(drivers.family, "");
  EXPECT_EQ(drivers.sweep.texel_bytes, 8u);
  EXPECT_EQ(drivers.platforms.at("Here").columns, (std::vector<std::string>{"here-*", "*Here*"}));
  ASSERT_EQ(drivers.claims.size(), 5u);
  const auto& aligned = std::get<DriverClaim>(drivers.claims[0].kind);
  EXPECT_EQ(aligned.scope, ClaimScope::kPlatform);
  EXPECT_EQ(aligned.about, "Here");
  EXPECT_EQ(aligned.note, "As printed.");
  EXPECT_EQ(aligned.check.bytes, std::vector<std::uint64_t>{4096});
  EXPECT_EQ(aligned.check.about, 0);
  EXPECT_EQ(aligned.check.typically, 1);
  EXPECT_EQ(std::get<DriverClaim>(drivers.claims[1].kind).scope, ClaimScope::kEachDriver);
  EXPECT_EQ(std::get<DriverClaim>(drivers.claims[1].kind).check.image, (ImageSize{4, 8}));
  const auto& heaps = std::get<DriverClaim>(drivers.claims[2].kind);
  EXPECT_EQ(heaps.scope, ClaimScope::kSomeDriver);
  EXPECT_EQ(heaps.columns, std::vector<std::string>{"big-*"});
  ASSERT_EQ(heaps.check.heaps.size(), 2u);
  EXPECT_EQ(heaps.check.heaps[0].bytes, 8000u);
  EXPECT_EQ(heaps.check.heaps[1].bytes, 0u);
  EXPECT_TRUE(heaps.check.heaps[1].host_visible);
  EXPECT_EQ(std::get<DriverClaim>(drivers.claims[3].kind).check.about, 0.25);
  EXPECT_EQ(std::get<DriverClaim>(drivers.claims[3].kind).check.typically, 0.9);
  EXPECT_TRUE(std::holds_alternative<TextClaim>(drivers.claims[4].kind));
  EXPECT_EQ(drivers.claims[4].basis.here, "no column has times");
  EXPECT_EQ(std::get<HeapShare>(drivers.errata[0].measured).parts, 62u);
  EXPECT_EQ(std::get<SmallestImageStorage>(drivers.errata[1].measured).platform, "Here");
  EXPECT_TRUE(std::holds_alternative<AllocationLimit>(drivers.errata[2].measured));
  EXPECT_EQ(drivers.policy.at(0).rule, "max(M, H / K) bytes");
}

TEST(Article, of_a_family_that_cannot_be_read_is_one_sentence) {
  const std::string all_claims =
      "expected one of 'ratio', 'exact', 'bound', 'formula', 'order', 'driver', 'text', found 'guess'";
  const struct {
    std::string_view from, to;
    std::string error;
  } rows[]{
      {R"("kind": "order")", R"("kind": "guess")", "claims[3].kind: " + all_claims},
      {R"("kind": "order", )", "", "claims[3].kind: missing"},
      {R"("claim": "Quick puts fast", "passage": "There", )", R"("claim": "Quick puts fast", )",
       "claims[0].passage: missing"},
      {R"("passage": "There", "decides": "A count", "here": "It counts", "metric": "put")",
       R"("passage": "There", "here": "It counts", "metric": "put")", "claims[0].decides: missing"},
      {R"("passage": "There", "decides": "A count", "here": "It counts", "metric": "put")",
       R"("passage": "There", "decides": "A count", "here": "", "metric": "put")",
       "claims[0].here: expected a sentence, found none"},
      {R"("kind": "value")", R"("kind": "values")",
       "errata[1].measured.kind: expected one of 'ratio', 'value', 'smallest image storage', 'heap share', 'allocation "
       "limit', 'none', found 'values'"},
      {R"("least": 2})", R"("most": 2})", "claims[3].needs.least: missing"},
      {R"("kind": "ratios")", R"("kind": "pie")", "charts[0].kind: expected one of 'ratios', found 'pie'"},
      {R"("also": ["drop"], "stated": 1.5)", R"("also": ["drop"])",
       "the claim 'Quick gets fast': expected 'stated', or figures of 'get' for plain and quick in the table, found "
       "neither"},
      {R"("stated": 1.5,
     "from": "plain", "to")",
       R"("stated": 1.5,
     "of": "plain", "to")",
       "claims[1].from: missing"},
      {R"("12.5 %")", R"("an eighth")", "claims[2].stated: expected a number such as '0.195 %', found 'an eighth'"},
      {R"("12.5 %")", "12", "claims[2].stated: expected a string, found 12"},
      {R"("least": "50 %")", R"("half": "50 %")", "claims[4].most: missing"},
      {R"("most": "7")", R"("most": "few")", "claims[5].most: expected a number such as '0.195 %', found 'few'"},
      {R"("1 / 8 / leaf")", R"("1 / (8 * leaf")", "claims[6].stated: expected ')' at the end, found '1 / (8 * leaf'"},
      {R"("order": ["quick", "plain"])", R"("order": ["quick"])",
       "claims[3].order: expected at least 2 variants, found 1"},
      {R"("workload": "store", )", "",
       "the claim 'Quick puts fast': expected 'workload' there or in the article, found none"},
      {R"("reference": "plain")", R"("reference": "dusty")",
       "the chart 'faster': expected a figure of 'put' for the reference dusty in the table, found none"},
      {R"("year": 2020)", R"("year": "2020")", "source.year: expected a whole number, found a string"},
      {R"("note": "It is small.")", R"("note": 1)", "note: expected a string, found 1"},
  };
  for (const auto& [from, to, error] : rows)
    EXPECT_EQ(error_of(loaded(with(kShelves, from, to)), "variants/shelf/articles/shelves.json"), error) << to;
}

TEST(Article, about_drivers_that_cannot_be_read_is_one_sentence) {
  const struct {
    std::string_view from, to, error;
  } rows[]{
      {R"("bytes": [4096])", R"("octets": [4096])", "claims[0].check.bytes: missing"},
      {R"("kind": "image alignments")", R"("kind": "colours")",
       "claims[0].check.kind: expected one of 'image alignments', 'smallest image alignment', 'smallest image "
       "storage', "
       "'first image aligned', 'no alignment rule', 'image storage', 'image alignment', 'image storage and alignment', "
       "'image storage near', 'image storage just over', 'image storage within', 'same image storage', 'least image "
       "storage', 'power-of-two image storage', 'no power-of-two image storage', 'few image alignments', 'power-of-two "
       "alignments', 'one buffer alignment', 'buffer alignments', 'buffer alignment by limit', 'small buffer storage', "
       "'buffer extra', 'same for buffer usages', 'linear tiling relaxes', 'limit at least', 'limit at most', 'heaps', "
       "'separate memory types', 'allocations at once', 'linear sampling slower', 'operation within', found 'colours'"},
      {R"("image": [4, 8])", R"("image": [4])",
       "claims[1].check.image: expected an array of 2 elements, found an array"},
      {R"("parts": 62)", R"("piece": 62)", "errata[0].measured.parts: missing"},
      {R"("about": "Here")", R"("about": "BeOS")", "the claim 'Aligned': unknown platform 'BeOS'"},
      {R"("platform": "Here")", R"("platform": "BeOS")", "the erratum 'g': unknown platform 'BeOS'"},
      {R"("about": 0.25)", R"("about": 1)", "claims[3].check.about: expected a share from 0 to below 1, found 1"},
      {R"("typically": 0.9)", R"("typically": 0)", "claims[3].check.typically: expected a share above 0 to 1, found 0"},
      {R"({"kind": "image storage", "image": [4, 8], "bytes": [128]})",
       R"({"kind": "same image storage", "images": [[4, 8]]})", "claims[1].check.images: expected at least 2, found 1"},
      {R"({"kind": "driver", "about": "each driver", "claim": "Small", "passage": "There", "decides": "A count", "here": "It counts", "check": {"kind": "image storage", "image": [4, 8], "bytes": [128]}})",
       R"({"kind": "order", "claim": "Small", "passage": "There", "decides": "A count", "here": "It counts", "metric": "time", "workload": "w", "order": ["a", "b"]})",
       "the claim 'Small': it is about variants, so the file belongs in variants/<family>/articles"},
  };
  for (const auto& [from, to, error] : rows)
    EXPECT_EQ(error_of(loaded(kShelves, with(kDrivers, from, to)), "results/published/drivers.json"), error) << to;
  EXPECT_EQ(error_of(loaded(kShelves, "{"), "results/published/drivers.json"),
            "the file: truncated: the JSON does not end within 1 bytes");
  EXPECT_EQ(error_of(loaded(kShelves, "[]"), "results/published/drivers.json"),
            "the document: expected an object, found an array");
  EXPECT_EQ(error_of(loaded(kShelves, "{}"), "results/published/drivers.json"), "source: missing");
}

TEST(Articles, are_sorted_by_family_and_name_and_those_about_drivers_are_last) {
  const ScratchFolder root;
  root.write("variants/shelf/articles/b.json", kShelves);
  root.write("variants/shelf/articles/a.json", kShelves);
  root.write("variants/shelf/articles/README.md", "not an article");
  root.write("variants/box/articles/c.json", kShelves);
  root.write("results/published/0.json", kDrivers);
  const Expected<std::vector<Article>> articles = load_articles(root.path());
  ASSERT_TRUE(articles) << articles.error().what;
  std::vector<std::string> names;
  for (const Article& article : *articles) names.push_back(article.family + "/" + article.name);
  EXPECT_EQ(names, (std::vector<std::string>{"box/c", "shelf/a", "shelf/b", "/0"}));

  root.write("results/published/c.json", kDrivers);
  EXPECT_EQ(error_of(load_articles(root.path()), "results/published/c.json"),
            "another article has the same name: give it another");
}

TEST(Articles, of_a_folder_without_any_are_none) {
  EXPECT_TRUE(load_articles(ScratchFolder().path())->empty());
}

TEST(CommittedArticles, name_variants_that_exist) {
  ASSERT_FALSE(committed().empty());
  for (const Article& article : committed())
    for (const ArticleRow& row : article.table)
      for (const std::string& variant : row.variants) {
        const fs::path file = fs::path(LAB_SOURCE_DIR) / "variants" / article.family / (variant + ".cpp");
        EXPECT_TRUE(fs::exists(file)) << article.name << ": " << file;
      }
}

TEST(CommittedArticles, have_an_erratum_for_every_stated_ratio_that_contradicts_the_table) {
  for (const Article& article : committed())
    for (const Claim& claim : article.claims) {
      const auto* ratio = std::get_if<RatioClaim>(&claim.kind);
      if (ratio == nullptr || !ratio->stated) continue;
      const std::optional<double> from_table = ratio->ratio.cases.front().from_table;
      if (!from_table || std::abs(*ratio->stated - *from_table) < 0.01) continue;
      bool found = false;
      for (const Erratum& erratum : article.errata)
        found = found || erratum.printed == fmt::format("{}", *ratio->stated);
      EXPECT_TRUE(found) << claim.text;
    }
}

TEST(CommittedArticles, errata_s_arithmetic_is_right) {
  EXPECT_NEAR(6.65 / 1.85, 3.59, 0.005);
  for (const int levels : {6, 12, 20}) {  // one bit a block over the tree's bytes, leaves of 128 bytes
    const double blocks = static_cast<double>(1 << levels), bytes = 128.0 * (1 << (levels - 1));
    EXPECT_NEAR(blocks / 8 / bytes, 1 / (4 * 128.0), 1e-12);
    EXPECT_NEAR(blocks / 8 / bytes, 0.00195, 0.000005);
  }
  EXPECT_EQ(512 - 400, 112);
  EXPECT_EQ(4096 + 4096 + 24, 8216);
  EXPECT_EQ(8'000'000'000 / 62, 129'032'258);
  EXPECT_EQ((std::int64_t{8} << 30) / 62, 138'547'332);
  EXPECT_EQ(8'000'000'000 / 60, 133'333'333);
  EXPECT_EQ(4096 * 4096 * 4, 67'108'864);
}

}  // namespace lab::results
