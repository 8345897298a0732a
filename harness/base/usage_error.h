/// Wrong usage or unreadable input.
#pragma once

#include <string>
#include <utility>

#include "harness/base/error.h"

namespace lab {

/// An Error with ExitStatus::kUsage.
inline Error usage_error(std::string what, std::string hint = "") {
  return {std::move(what), std::move(hint), ExitStatus::kUsage};
}

}  // namespace lab
