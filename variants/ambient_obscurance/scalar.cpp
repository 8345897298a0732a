#include "variants/ambient_obscurance/family/cpu_variant.h"

using namespace lab;
using namespace lab::ambient_obscurance;

const bench::Variant& bench::this_variant() {
  return make_cpu_variant(
      LAB_VARIANT,
      {.idea = "one pixel after the other",
       .cost = "24 to 30 bytes read for each sample, one thread",
       .source = "McGuire, Mara, Luebke: Scalable Ambient Obscurance (2012); Autodesk Stingray blog: "
                 "Temporal Reprojection and SAO (2015)",
       .weakness = "no vector instructions"},
      {.steps = &scalar_steps(), .exhibits = true});
}
