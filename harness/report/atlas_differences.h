/// Which driver columns give equal answers, what tells the others apart, what changed between versions of a driver, and
/// where the bytes of images go.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"

namespace lab::report {

/// Without elements if no column answered.
Section atlas_differences_section(std::span<const results::DriverColumn> atlas, const results::ImageSweep& sweep);

}  // namespace lab::report
