/// A farm as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/farm.h"

namespace lab::report {

/// "+9.9 % (+8.8 to +10.9 %)"; only the first if all changes are the same.
std::string size_text(const judge::FarmChange& change);
/// "on 10 of 12 machines with class epyc, on 0 of 38 without"
std::string where_text(const judge::FarmChange& change);

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
