#include "variants/render_config/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return render_config::make_variant(
      LAB_VARIANT,
      {.idea = "passes are read from files into a list of steps whose names are resolved once",
       .cost = "a frame: one walk over the steps; a change: reading all files, and making what is new",
       .source = "Data Driven Rendering in Stingray (Stingray blog, 2015)",
       .weakness = "a pass can do only what the language has words for"},
      {.make_maker = render_config::plan_maker, .reloads = true});
}
