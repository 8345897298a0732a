#include "variants/object_pool/family/new_delete_pool.h"
#include "variants/object_pool/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<object_pool::NewDeletePool>(
      LAB_VARIANT,
      {.idea = "No pool: new and delete of the C library for each object, up to a number of objects.",
       .cost = "A few instructions from malloc's cache, else a search. 16 bytes more for an object of 64.",
       .source = "The GNU C library",
       .weakness =
           "Objects lie where malloc finds room, and whoever walks over them keeps a list. Objects of different "
           "sizes share one heap."});
}
