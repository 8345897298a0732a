/// The JSON fields of a workload that a result and the --describe of a variant's executable share.
#pragma once

#include "harness/results/result.h"

namespace lab::results {

/// All fields but the family, for a FieldReader or FieldWriter of base/json_fields.h.
template <typename Fields>
void workload_fields(Fields& f, WorkloadInfo& workload) {
  f("name", workload.name);
  f("title", workload.title);
  f("version", workload.version);
  f("phases", workload.phases);
  f("operations", workload.operations);
  f("operation", workload.operation);
  f("parallel", workload.parallel);
  f.added("phase_operations", workload.phase_operations);
}

}  // namespace lab::results
