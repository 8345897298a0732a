#include "variants/allocator/family/conformance.h"

#include "variants/allocator/family/request_sequences.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject) {
  const Capabilities& can = subject.can;
  const struct {
    bool applies;
    const char* name;
    std::string (*check)(const Subject&);
  } rows[]{
      {true, "blocks are aligned as promised", check_alignment},
      {true, "blocks are at least as large as requested", check_block_sizes},
      {true, "no two blocks overlap", [](const Subject& of) { return replace_blocks(of, Fill::kYes).overlap; }},
      {true, "contents are kept", [](const Subject& of) { return replace_blocks(of, Fill::kYes).contents; }},
      {true, "requests within the demand succeed",
       [](const Subject& of) { return replace_blocks(of, Fill::kNo).refusal; }},
      {true, "blocks of every size neither overlap nor change", check_every_size},
      {true, "requests of 0 bytes return distinct blocks", check_empty_requests},
      {true, "a too large request returns null and changes nothing", check_too_large_requests},
      {can.fixed_capacity, "the largest request is as reported", check_largest_request},
      {can.fixed_capacity, "the capacity is as reported", check_capacity},
      {can.fixed_capacity, "freeing everything restores the initial state", check_first_state},
      {can.frees_blocks, "freeing nullptr does nothing", check_free_null},
      {can.frees_blocks && kMemoryIsMeasurable, "freed memory is reused", check_freed_is_used_again},
      {can.resets, "reset frees everything", check_reset_frees_everything},
      {subject.identity_failure != nullptr, "calls reach the wrapped allocator",
       [](const Subject& of) { return of.identity_failure(); }},
  };
  std::vector<bench::ConformanceCheck> checks;
  for (const auto& row : rows)
    if (row.applies) checks.push_back({row.name, [subject, check = row.check] { return check(subject); }});
  return checks;
}

}  // namespace lab::allocator
