/// What is told to others (`--notify`): an alarm, a recovery, a machine's silence or its return, as one JSON object
/// each (harness/docs/formats.md, "What others are told").
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/farm.h"
#include "harness/results/alarm.h"
#include "harness/results/told.h"

namespace lab::report {

struct NoticeChange {
  double ratio = 1, low = 1, high = 1;  ///< after / before
  std::string text;                     ///< "+9.9 % (+8.8 to +10.9 %)"
};

/// Every string is text of other programs until to_json().
struct Notice {
  results::NoticeKind kind = results::NoticeKind::kAlarm;
  std::string id;     ///< a farm's alarm's, or the machine's name; "farm" of a farm that is silent as a whole
  std::string when;   ///< since when, UTC, RFC 3339
  std::string title;  ///< one sentence on one line
  std::string state;  ///< of an alarm what people or the detector said last; of a machine "silent" or "measures"
  std::optional<NoticeChange> change;
  std::vector<std::string> benchmarks, machines, classes, hardware;
  std::string reason;               ///< what these machines have and `others` have not
  std::vector<std::string> others;  ///< machines that measured the same and do not show it
  results::CommitRange commits;
  std::size_t commit_count = 0;  ///< 0: not known
  std::string address;           ///< of a page about it; "" for none
  // What told.jsonl keeps of it.
  std::vector<std::string> items;
  std::string machine;  ///< that it is about; "" if it is about the farm
};

/// The same for the same notice at all times, so that a receiver can drop the second of two.
std::string key_of(const Notice& notice);

/// One object on one line, printable.
std::string to_json(const Notice& notice);

/// What told.jsonl calls an alarm: a later one of the same day is another one.
std::string item_of(const results::FarmAlarm& alarm);
/// What it calls the silence that begins with the machine's last session.
std::string silence_of(const std::string& name, const judge::FarmMachine& machine);
std::string silence_of(const judge::Farm& farm);  ///< of all machines

/// The alarm, as its change is known now.
Notice alarm_notice(const judge::Farm& farm, const results::FarmAlarm& alarm);
/// That it is fixed.
Notice recovery_notice(const judge::Farm& farm, const results::FarmAlarm& alarm);
/// Of a machine or, with none, of all.
Notice silence_notice(const judge::Farm& farm, const judge::FarmMachine* machine);
/// `silence`: the record of what was told.
Notice return_notice(const judge::Farm& farm, const judge::FarmMachine* machine, const results::ToldRecord& silence);

/// What told.jsonl of a machine's nights calls an alarm.
std::string item_of(const results::Alarm& alarm);
/// What the night of one machine tells.
struct NightWords {
  std::span<const results::Alarm> alarms;  ///< not empty: of one level, commits and culprit
  std::string when;                        ///< the first session of the level
  std::string hardware;                    ///< the machine's
  std::size_t commit_count = 0;            ///< 0: not known
};
Notice alarm_notice(const NightWords& words);
/// That they ended: back to normal, or withdrawn.
Notice recovery_notice(const NightWords& words);

/// The address of the page about a notice on a server: "ADDRESS/alarm?id=ID" or "ADDRESS/machine?id=NAME".
std::string page_address(std::string_view server, const Notice& notice);

}  // namespace lab::report
