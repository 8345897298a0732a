/// LAB_JSON_STRUCT(Cache, type, level, (shared)): fields() of json_fields.h for a struct whose JSON fields have the
/// names of its members, in this order. A field in parentheses may be missing. Stands in the namespace of the struct.
#pragma once

#include <boost/preprocessor/control/iif.hpp>
#include <boost/preprocessor/punctuation/is_begin_parens.hpp>
#include <boost/preprocessor/punctuation/remove_parens.hpp>
#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>

#define LAB_JSON_REQUIRED(value, member) f(BOOST_PP_STRINGIZE(member), value.member);
#define LAB_JSON_ADDED(value, member) f.added(BOOST_PP_STRINGIZE(member), value.member);
#define LAB_JSON_FIELD(r, value, member)                                            \
  BOOST_PP_IIF(BOOST_PP_IS_BEGIN_PARENS(member), LAB_JSON_ADDED, LAB_JSON_REQUIRED) \
  (value, BOOST_PP_REMOVE_PARENS(member))

#define LAB_JSON_STRUCT(Struct, ...)                                                    \
  template <typename Fields>                                                            \
  void fields(Fields& f, Struct& value) {                                               \
    BOOST_PP_SEQ_FOR_EACH(LAB_JSON_FIELD, value, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)) \
  }
