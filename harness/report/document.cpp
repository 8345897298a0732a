#include "harness/report/document.h"

namespace lab::report {

namespace {

void collect(const Section& section, std::vector<const Chart*>& charts) {
  for (const Block& block : section.blocks)
    if (const Charts* group = std::get_if<Charts>(&block))
      for (const Chart& chart : group->charts) charts.push_back(&chart);
  for (const Section& inner : section.sections) collect(inner, charts);
}

}  // namespace

std::vector<const Chart*> charts_of(const Document& document) {
  std::vector<const Chart*> charts;
  for (const Section& section : document.sections) collect(section, charts);
  return charts;
}

}  // namespace lab::report
