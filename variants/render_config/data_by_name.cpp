#include "variants/render_config/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return render_config::make_variant(
      LAB_VARIANT,
      {.idea = "passes are read from files, and each frame looks up their targets, shaders and constants by name",
       .cost = "a frame: a search in a tree of strings for each name of each pass",
       .source = "the plain reading of the article's files; what data_driven saves",
       .weakness = "costs grow with passes and names, and nothing is gained"},
      {.make_maker = render_config::named_maker});
}
