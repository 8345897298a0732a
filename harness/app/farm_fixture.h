/// A results folder of a farm for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/app/farm.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/utc.h"
#include "harness/judge/night_fixture.h"

namespace lab::app {

/// Three machines, whose nights the test adds. They measure shelf/v000/store, which can change, and shelf/v001/store.
class FarmFolder : public testing::Test {
 protected:
  /// A night of all machines, with times `slower` times as large.
  void add(int number, double slower) {
    for (const std::string& machine : machines_) add(machine, number, slower);
    last_ = number;
  }
  void add(int from, int to, double slower) {
    for (int number = from; number < to; ++number) add(number, slower);
  }
  /// A night of one machine, whose result `changed` may change.
  void add(const std::string& machine, int number, double slower,
           const std::function<void(results::Result&)>& changed = {}) {
    results::Result result = judge::fixture_night(
        {number, 1, 1, {100 * slower * std::exp(noise_(random_)), 50 * std::exp(noise_(random_))}});
    result.machine.id = result.machine.name = machine;
    result.context.host_name = machine;
    if (changed) changed(result);
    folder_.write(fmt::format("{}/{}", machine, judge::fixture_file(number)), results::serialize(result));
  }

  FarmRequest request(int days_later = 0) const {
    const std::time_t now = *seconds_of(judge::fixture_started(last_ + days_later)) + 3600;
    return {folder_.path(), folder_.path(), now};
  }

  std::vector<std::string> machines_{"farm-1", "farm-2", "farm-3"};
  ScratchFolder folder_;

 private:
  int last_ = 0;
  std::mt19937 random_{7};
  std::normal_distribution<double> noise_{0, 0.005};
};

}  // namespace lab::app
