/// farm_job.sh, which lies in the executable.
#pragma once

#include <string_view>

namespace lab::app {

std::string_view farm_job_script();

}  // namespace lab::app
