/// A farm as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/farm.h"

namespace lab::report {

/// The first four names and how many others there are; all of five.
std::string names_text(std::vector<std::string> names);

/// "+9.9 % (+8.8 to +10.9 %)"; only the first if all changes are the same.
std::string size_text(const judge::FarmChange& change);
/// As verdict_text() of a change of one series: "regressed", or "worse, new kernel".
std::string verdict_text(const judge::FarmChange& change);
/// "on 10 of 12 machines with class epyc, on 0 of 38 others"
std::string where_text(const judge::FarmChange& change);

/// What the keeper should know of a machine; none if all is well.
std::vector<std::string> machine_notes(const judge::FarmMachine& machine);

/// The changes of a farm by what is told of them, the latest first.
struct ToldChanges {
  std::vector<const judge::FarmChange*> code;      ///< confirmed
  std::vector<const judge::FarmChange*> machines;  ///< what one machine did by itself
  std::vector<const judge::FarmChange*> alone;     ///< on one machine, which no other shows: only counted
};
ToldChanges told_changes(const judge::Farm& farm);

/// What machines share, what one machine did by itself, and which machines need a hand; the latest first.
std::string to_text(const judge::Farm& farm, std::size_t width);
/// One object on one line, with every change, and what people said of the alarms.
std::string to_json(const judge::Farm& farm, std::span<const results::FarmAlarm> alarms = {});

/// What a check found, for a mail: each alarm that waits, what is new, and the machines that need a hand.
struct CheckView {
  const judge::Farm& farm;
  const std::vector<results::FarmAlarm>& alarms;
  const std::vector<std::string>&raised, &fixed;  ///< ids
};
std::string check_text(const CheckView& check, std::size_t width);

}  // namespace lab::report
