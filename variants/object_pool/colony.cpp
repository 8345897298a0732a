#include "variants/object_pool/family/colony_pool.h"
#include "variants/object_pool/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<object_pool::ColonyPool>(
      LAB_VARIANT,
      {.idea = "plf::colony with kept iterators: blocks of objects, and a skipfield with which a walk jumps "
               "over dead ones.",
       .cost = "O(1). 2 bytes a slot. A reference is an iterator of three pointers.",
       .source = "plf::colony 7.10 (Matthew Bentley), the basis of std::hive",
       .weakness = "New objects go where the last ones died, so holes stay spread. An empty block is kept or "
                   "freed."},
      {.in_use = "outside, a skipfield"});
}
