/// LAB_JSON_STRUCT(Cache, type, level): fields() of json_fields.h for a struct whose JSON fields have the names of its
/// members, in this order. Stands in the namespace of the struct.
#pragma once

#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>

#define LAB_JSON_FIELD(r, value, member) f(BOOST_PP_STRINGIZE(member), value.member);

#define LAB_JSON_STRUCT(Struct, ...)                                                    \
  template <typename Fields>                                                            \
  void fields(Fields& f, Struct& value) {                                               \
    BOOST_PP_SEQ_FOR_EACH(LAB_JSON_FIELD, value, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)) \
  }
