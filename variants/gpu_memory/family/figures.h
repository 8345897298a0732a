/// What the family's workloads count, each in a pass of its own that is never timed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// What the first repetition of a plan takes from the device and loses.
std::map<std::string, double> counted(const Subject& subject, const ResourcePlan& plan);
/// The smallest heap in which the fill and one repetition succeed.
std::map<std::string, double> minimum_heap(const Subject& subject, const ResourcePlan& plan);
/// Of fill_heap(): what was served until a request was refused, and which of `groups` get nothing then.
std::map<std::string, double> filled(const Subject& subject, const ResourcePlan& plan,
                                     const std::vector<MemoryRequest>& groups);
/// The metric of filled() that says whether requests like this one get nothing.
std::string starved_metric(const MemoryRequest& request);
/// Of fragmented(): what passes move until no moves are left.
std::map<std::string, double> defragmented(const Subject& subject, const ResourcePlan& plan);

}  // namespace lab::gpu_memory
