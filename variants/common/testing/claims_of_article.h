/// What the claims of a family's articles are about: every variant, workload and metric in them must exist, because a
/// claim about another one would be undecided for ever.
#pragma once

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/bench/description.h"

namespace lab {

/// One sentence for each variant, workload or metric that no variant of the family has. `workloads` are all of the
/// family; figures of exhibits are not looked at.
template <typename Workload>
std::vector<std::string> unknown_in_claims(const std::string& claims_json, const std::vector<std::string>& variants,
                                           const std::vector<Workload>& workloads) {
  namespace json = boost::json;
  std::vector<std::string> unknown;
  const json::value article = json::parse(claims_json);
  const auto text = [](const json::object& of, const char* field) {
    const json::value* const found = of.if_contains(field);
    return found == nullptr ? std::string() : std::string(found->as_string());
  };
  const auto matches = [](const std::string& glob, const std::string& name) {
    return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  };
  const auto has_metric = [](const bench::WorkloadInfo& workload, const std::string& metric) {
    return metric == bench::kTimeMetric || std::ranges::find(workload.phases, metric) != workload.phases.end() ||
           std::ranges::find(workload.metrics, metric, &bench::Metric::name) != workload.metrics.end();
  };
  for (const json::value& each : article.at("claims").as_array()) {
    const json::object& claim = each.as_object();
    const std::string kind = text(claim, "kind"), name = text(claim, "claim");
    if (kind == "text") continue;
    // "variant/workload"; a variant alone has the claim's workload, or else the article's.
    std::vector<std::string> benchmarks;
    if (claim.contains("benchmarks")) benchmarks.push_back(text(claim, "benchmarks"));
    for (const char* const field : {"from", "to"})
      if (claim.contains(field)) benchmarks.push_back(text(claim, field));
    if (const json::value* const order = claim.if_contains("order"))
      for (const json::value& one : order->as_array()) benchmarks.emplace_back(one.as_string());
    const std::string workload =
        claim.contains("workload") ? text(claim, "workload") : text(article.as_object(), "workload");
    if (benchmarks.empty()) unknown.push_back(fmt::format("'{}' is about no benchmark", name));
    for (const std::string& benchmark : benchmarks) {
      const std::size_t slash = benchmark.find('/');
      const std::string variant = benchmark.substr(0, slash),
                        of = slash == std::string::npos ? workload : benchmark.substr(slash + 1);
      if (std::ranges::none_of(variants, [&](const std::string& one) { return matches(variant, one); }))
        unknown.push_back(fmt::format("'{}': no variant is {}", name, variant));
      std::vector<Workload> meant;
      std::ranges::copy_if(workloads, std::back_inserter(meant),
                           [&](const Workload& one) { return matches(of, one.name); });
      if (meant.empty()) unknown.push_back(fmt::format("'{}': no workload is {}", name, of));
      if (meant.empty() || claim.contains("exhibit")) continue;
      for (const char* const field : {"metric", "over"})
        if (claim.contains(field) &&
            std::ranges::none_of(meant, [&](const Workload& one) { return has_metric(one, text(claim, field)); }))
          unknown.push_back(fmt::format("'{}': {} has no metric {}", name, of, text(claim, field)));
    }
  }
  return unknown;
}

/// The same of all articles of a family in this checkout.
template <typename Workload>
std::vector<std::string> unknown_in_articles(const std::string& family, const std::vector<Workload>& workloads) {
  const std::filesystem::path folder = std::filesystem::path(LAB_SOURCE_DIR) / "variants" / family;
  std::vector<std::string> variants, unknown;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".cpp") variants.push_back(file.path().stem().string());
  for (const auto& file : std::filesystem::directory_iterator(folder / "articles"))
    std::ranges::copy(unknown_in_claims(read_file(file.path()).value(), variants, workloads),
                      std::back_inserter(unknown));
  return unknown;
}

}  // namespace lab
