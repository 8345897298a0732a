/// An article's claims about a family, with their verdicts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/claim.h"
#include "harness/report/document.h"

namespace lab::report {

/// An article with its judged claims.
struct JudgedArticle {
  const results::Article* article = nullptr;
  std::vector<judge::JudgedClaim> claims;
};

/// Whether the session has numbers that speak for or against it.
bool is_judged(const judge::JudgedClaim& claim);

/// The claim as text, with its case if it has several.
std::string wording(const judge::JudgedClaim& claim);

/// Why the claim has its verdict, one sentence.
std::string reason(const judge::JudgedClaim& claim, const results::Result& result);

/// Its passage in the article, what would decide it, and why what is judged here is that: for TableCell::details.
std::vector<std::pair<std::string, std::string>> basis_of(const results::Claim& claim);

/// The command that measures what an undecided claim lacks.
std::string deciding_command(const judge::JudgedClaim& claim);

/// "1.46 (1.41 to 1.52)"; of an exact metric, or without an interval, only the ratio.
std::string with_interval(const judge::MeasuredRatio& ratio);

/// "5 reproduced, 1 weaker, 0 refuted and 2 undecided" of those that are judged.
std::string verdict_counts(const std::vector<judge::JudgedClaim>& claims);

/// The claims that nothing here can answer (results::TextClaim), with the reasons; no rows if there are none.
Table open_claims_table(const results::Article& article);

/// The article's charts, then each claim with its verdict, then those that nothing here can answer. `fitness`: of the
/// session.
Section claims_section(const std::vector<judge::JudgedClaim>& claims, const results::Article& article,
                       const std::string& title, const results::Result& result, const judge::Fitness& fitness = {});

/// The ratio of the reference to every variant of the article's table, here and in the article; none without
/// measurements.
std::optional<Chart> ratio_chart(const results::RatioChart& chart, const results::Article& article,
                                 const results::Result& result, const judge::Fitness& fitness = {});

/// What a ratio of these benchmarks lacks, beginning with the name of one; "" if nothing.
std::string obstacle(std::span<const std::string> benchmarks, const std::string& metric, const results::Result& result);

}  // namespace lab::report
