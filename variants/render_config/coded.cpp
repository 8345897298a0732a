#include "variants/render_config/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return render_config::make_variant(LAB_VARIANT,
                                     {.idea = "passes are written in C++, with the objects that they need as members",
                                      .cost = "the commands themselves",
                                      .source = "what the article calls traditional architectures",
                                      .weakness = "each change of a pass builds the program again"},
                                     {.make_maker = render_config::coded_maker});
}
