#include "harness/report/badge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lab::report {

namespace {

using testing::HasSubstr;
using testing::Not;

judge::FarmMachine badge_machine(const char* id, std::size_t silent_days = 0) {
  judge::FarmMachine machine;
  machine.id = id;
  machine.silent_days = silent_days;
  return machine;
}

TEST(Badge, is_an_image_with_a_title_that_fits_its_text) {
  EXPECT_EQ(
      to_svg({"farm", "fine", "good"}),
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="70.4" height="20" viewBox="0 0 70.4 20" role="img" aria-label="farm: fine">
<title>farm: fine</title>
<clipPath id="round"><rect width="70.4" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="37.9" height="20" fill="#3f4852"/><rect x="37.9" width="32.5" height="20" fill="#0a5fb0"/></g>
<g fill="#fff" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="11"><text x="6" y="14" textLength="25.9">farm</text><text x="43.9" y="14" textLength="20.5">fine</text></g>
</svg>
)svg");
}

TEST(Badge, shows_hostile_names_as_text) {
  const std::string svg = to_svg({"<script>\"'&", "a\nb\x1b[2J\xe2\x80\xae" + std::string(100, 'x'), "bad"});
  EXPECT_THAT(svg, HasSubstr("<title>&lt;script&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
  EXPECT_THAT(svg, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(svg, HasSubstr(">a b?[2J???" + std::string(kMostBadgeText - 10, 'x') + "...</text>"));
}

TEST(Badge, says_what_waits_and_who_is_silent) {
  const auto told = [](const judge::Farm& farm, const std::vector<results::FarmAlarm>& alarms = {}) {
    const Badge badge = farm_badge(farm, alarms);
    return badge.label + ": " + badge.message + " " + std::string(badge.colour);
  };
  judge::Farm farm;
  farm.machines = {badge_machine("a")};
  EXPECT_EQ(told(farm), "nights: fine good");
  farm.machines = {badge_machine("a"), badge_machine("b", 31)};
  EXPECT_EQ(told(farm), "farm: 1 silent weak");
  std::vector<results::FarmAlarm> alarms(3);
  EXPECT_EQ(told(farm, alarms), "farm: 3 regressions, 1 silent bad");
  alarms[0].state = results::AlarmStep::kAcknowledged;
  alarms[1].state = results::AlarmStep::kEnded;
  farm.silent_since = "2026-03-01T02:00:00Z";
  EXPECT_EQ(told(farm, alarms), "farm: 1 regression, silent since 2026-03-01 bad");
}

}  // namespace

}  // namespace lab::report
