/// The functions of the page's scripts, each file loaded as it is. What they do to a page: .ci/check_browser.
#include <gtest/gtest.h>

#include <string>

#include "harness/base/error.h"
#include "harness/report/resources.h"
#include "harness/report/script_engine.h"

namespace lab::report {

namespace {

class Script {
 public:
  explicit Script(const char* name, const char* before = "") {
    load("before", before);
    load(name, resource(name));
    load("answer", "globalThis.answer = (text) => ({value: JSON.stringify((0, eval)(text))});");
  }

  /// The value of an expression, as JSON.
  std::string operator()(const std::string& expression) {
    const auto values = engine_.call("evaluating", "answer", "(" + expression + ")", {"value"});
    return values ? values->front() : values.error().what;
  }

 private:
  void load(const char* name, std::string_view script) {
    const Expected<void> loaded = engine_.load(name, script);
    EXPECT_TRUE(loaded) << loaded.error().what;
  }

  ScriptEngine engine_{{}};
};

/// Each character is half of its font's size wide.
constexpr const char* kMeasure = "const half = (text, fontSize) => [...String(text)].length * fontSize / 2;";

Script fit() {
  return Script("fit.js", kMeasure);
}

// Intl and DOM functions that run when the file is loaded.
Script matrix() {
  return Script("matrix.js", "globalThis.Intl = {NumberFormat: class { format(value) { return String(value); } }};");
}

}  // namespace

TEST(FitScript, cuts_a_name_or_breaks_it_at_its_spaces) {
  Script fit_script = fit();
  EXPECT_EQ(fit_script("cut('abcdefgh', 50, 10, beginning, half)"), "\"abcdefgh\"");
  EXPECT_EQ(fit_script("cut('abcdefghijkl', 45, 10, beginning, half)"), "\"abcdefgh…\"");
  EXPECT_EQ(fit_script("cut('abcdefghijkl', 45, 10, both_ends, half)"), "\"abcd…ijkl\"");
  EXPECT_EQ(fit_script("cut('abcdefgh', 1, 10, beginning, half)"), "\"abcd…\"");
  EXPECT_EQ(fit_script("in_lines('one two three', 40, 10, half)"), R"(["one two","three"])");
  EXPECT_EQ(fit_script("in_lines('abcdefghijkl m', 45, 10, half)"), R"(["abcdefgh…","m"])");
  EXPECT_EQ(fit_script("label_expression(['a'], (text) => text + '!')"), R"("{\"a\":\"a!\"}[datum.label]")");
}

TEST(FitScript, scales_to_pixels_and_back) {
  Script fit_script = fit();
  EXPECT_EQ(fit_script("scale_of({type: 'log', domain: [1, 100]}, 200).to(10)"), "100");
  EXPECT_EQ(fit_script("scale_of({type: 'linear', domain: [10, 20]}, 100).from(50)"), "15");
}

TEST(FitScript, names_move_above_their_marks_in_a_narrow_chart) {
  Script fit_script = fit();
  const auto placed = [&](int width, int characters = 40) {
    return fit_script("((spec, axis) => [place_names(spec, axis, " + std::to_string(width) +
                      ", half), spec.height.step, axis.axis?.labelLimit ?? null, axis.axis?.labelExpr !== "
                      "undefined])({datasets: {rows: "
                      "[{n: 'a'.repeat(" +
                      std::to_string(characters) +
                      ")}]}, height: {step: 20}, config: {axis: {labelFontSize: 10, labelPadding: "
                      "4}}}, {field: 'n'})");
  };
  EXPECT_EQ(placed(600), "[204,20,300,false]");
  EXPECT_EQ(placed(500), "[0,36,null,false]");
  EXPECT_EQ(placed(200), "[0,36,null,true]");
  EXPECT_EQ(placed(500, 9), "[49,20,250,false]") << "numbers need little";
}

TEST(FitScript, a_text_at_a_mark_moves_below_it_where_the_name_is_above) {
  Script fit_script = fit();
  const auto placed = [&](int width, const std::string& encoding) {
    return fit_script(
        "((spec) => { place_names(spec, {field: 'n'}, " + std::to_string(width) +
        ", half); const {baseline, dy} = spec.layer[0].mark; return [baseline, dy]; })({datasets: {rows: "
        "[{n: 'abcdefghijkl'}]}, height: {step: 20}, config: {axis: {labelFontSize: 10, labelPadding: 4}}, layer: "
        "[{mark: {type: 'text', baseline: 'bottom', dy: -1}, encoding: {" +
        encoding + "}}]})");
  };
  EXPECT_EQ(placed(600, ""), R"(["bottom",-1])");
  EXPECT_EQ(placed(500, ""), R"(["top",4])");
  EXPECT_EQ(placed(500, "y: {value: -3}"), R"(["bottom",-1])");
}

TEST(FitScript, a_legend_gets_the_columns_that_fit) {
  Script fit_script = fit();
  const auto legend = [&](int room) {
    return fit_script(
        "((spec) => { place_legend(spec, " + std::to_string(room) +
        ", half); return [spec.config.legend.columns, spec.encoding.color.legend?.labelExpr ?? null]; })({datasets: "
        "{rows: [{s: 'one two'}, {s: 'b'}]}, encoding: {color: {type: 'nominal', field: 's'}}, config: {legend: "
        "{columnPadding: 10, labelFontSize: 10}}})");
  };
  EXPECT_EQ(legend(300), "[4,null]");
  EXPECT_EQ(legend(60), "[1,null]");
  EXPECT_EQ(legend(45), R"([1,"{\"one two\":[\"one\",\"two\"],\"b\":[\"b\"]}[datum.label]"])");
}

TEST(FitScript, an_axis_of_numbers_has_one_width) {
  Script fit_script = fit();
  EXPECT_EQ(fit_script("((spec) => [fix_numbers(spec), spec.config.axisY])({config: {axisY: {grid: true}}})"),
            R"([66,{"grid":true,"minExtent":44,"maxExtent":44}])");
}

TEST(FitScript, a_label_is_beside_its_point_or_has_a_line_to_it) {
  Script fit_script = fit();
  const std::string plot = "{width: 300, height: 300}";
  EXPECT_EQ(fit_script("(({x, y, away, line}) => [x, y, away, line.length])(free_place([100, 100], 40, 40, " + plot +
                       ", [], []))"),
            "[128,100,0,0]");
  // Right of it something is in the way: then left.
  EXPECT_EQ(fit_script("free_place([100, 100], 40, 40, " + plot + ", [box_around(130, 100, 4, 4)], []).x"), "72");
  EXPECT_EQ(fit_script("free_place([100, 100], 40, 3, " + plot + ", [box_around(100, 100, 90, 90)], [])"), "null");
  const std::string far = "free_place([100, 100], 40, 40, " + plot + ", [box_around(100, 100, 60, 60)], [";
  EXPECT_EQ(fit_script("((one) => one.away >= kBeside && one.line.length > 0)(" + far + "]))"), "true");
  EXPECT_EQ(fit_script(far + "box_around(150, 150, 150, 150)])"), "null") << "no line may cross another name";
  EXPECT_EQ(fit_script("[[], [[145, 100]], [[165, 100]]].map((others) => free_place([100, 100], 40, 40, " + plot +
                       ", [], [], others).led)"),
            "[false,true,false]")
      << "a name nearer to another point";
}

TEST(FitScript, lines_to_points_cross_no_other_point_if_there_is_a_place) {
  Script fit_script = fit();
  // The nearest free place is beyond the other point.
  const std::string crosses = "(({line}) => line.some((piece) => touch(piece, box_around(100, 130, kMark, kMark))))";
  const std::string plot = "{width: 300, height: 400, place_of: ({x, y}) => [x, y]}",
                    way = "[box_around(100, 85, 90, 43)]";
  EXPECT_EQ(fit_script(crosses + "(free_place([100, 100], 46, 40, " + plot + ", " + way + ", []))"), "true");
  EXPECT_EQ(
      fit_script(crosses + "(placed_labels([{x: 100, y: 100}], [{x: 100, y: 100}, {x: 100, y: 130}], () => 40, 40, " +
                 plot + ", " + way + ")[0])"),
      "false");
}

TEST(FitScript, labels_avoid_marks_intervals_fronts_and_lines) {
  Script fit_script = fit();
  const std::string plot = "{to_x: (x) => x, place_of: ({x, y}) => [x, y]}";
  EXPECT_EQ(fit_script("boxes_of_marks([{x: 10, y: 10, low: 0, high: 30}], " + plot + ")"),
            R"([{"left":4,"right":16,"top":4,"bottom":16},{"left":0,"right":30,"top":9,"bottom":11}])");
  EXPECT_EQ(fit_script("boxes_of_front([{x: 0, y: 0}, {x: 10, y: 20}], " + plot + ")"),
            R"([{"left":0,"right":10,"top":-1,"bottom":1},{"left":9,"right":11,"top":0,"bottom":20}])");
  EXPECT_EQ(fit_script("boxes_of_lines([{x: 0, y: 0, workload: 'a'}, {x: 40, y: 0, workload: 'a'}, {x: 80, y: 0, "
                       "workload: 'b'}], " +
                       plot + ").length"),
            "10");
  EXPECT_EQ(fit_script("height_for_labels(100, [88, 88], 100)"), "140");
  EXPECT_EQ(fit_script("ranked([{kind: 'on neither'}, {kind: 'on the front'}]).map(({kind}) => kind)"),
            R"(["on the front","on neither"])");
}

TEST(FiguresScript, draws_the_rows_that_match) {
  Script script("figures.js",
                "globalThis.structuredClone = (value) => JSON.parse(JSON.stringify(value));"
                "const only = {matches: ([name]) => name === 'a', columns: null};"
                "const all = {matches: () => true, columns: null};"
                "const spec = {usermeta: {}, encoding: {color: {type: 'nominal', field: 'n', legend: null}}, "
                "datasets: {rows: [{benchmark: 'a', n: 1}, {benchmark: 'b', n: 2}], article: [{n: 3}]}};");
  EXPECT_EQ(
      script("filtered(spec, spec.datasets.rows, only)"),
      R"({"encoding":{"color":{"type":"nominal","field":"n","scale":{"domain":[1,2]}}},"datasets":{"rows":[{"benchmark":"a","n":1}],"article":[{"n":3}]}})");
  EXPECT_EQ(script("filtered(spec, spec.datasets.rows, all).encoding.color.scale ?? null"), "null");
  EXPECT_EQ(script("filtered(spec, spec.datasets.rows, {matches: () => false})"), "null");
  EXPECT_EQ(script("part_of(spec, 1, 2, only)"), "\"1 of 2 marks are shown\"");
  EXPECT_EQ(script("part_of(spec, 2, 2, all)"), "null");
}

TEST(FiguresScript, knows_which_figures_draw_a_benchmark) {
  Script script("figures.js",
                "const rows = {a: [{benchmark: 'x'}, {benchmark: 'x'}, {}], b: [{benchmark: 'y'}, {benchmark: 'x'}]};");
  EXPECT_EQ(script("[...by_benchmark(['a', 'b'], (figure) => ({datasets: {rows: rows[figure]}}))]"),
            R"([["x",["a","b"]],["y",["b"]]])");
}

TEST(FiguresScript, draws_the_lines_and_the_variant_that_the_reader_chooses) {
  Script script("figures.js",
                "const all = {matches: () => true, columns: new Set([2])};"
                "const lines = {usermeta: {most: 1, points: [{p: 0}, {p: 1}], lines: [{columns: [1], driver: 'a', "
                "values: [5, 6]}, {columns: [2], driver: 'b', values: [7, null]}, {columns: [2], driver: 'c', "
                "values: [8, 9]}]}, datasets: {rows: []}};"
                "const variants = {usermeta: {variants: ['v', 'w']}, datasets: {rows: [{variant: 'w'}]}};"
                "const select = {value: 'v', options: [{value: 'v'}, {value: 'w'}]};");
  EXPECT_EQ(script("all_rows(null, lines, all)"), R"([{"p":0,"driver":"b","order":0,"value":7}])");
  EXPECT_EQ(script("part_of(lines, 1, 1, all)"), "\"1 of the 2 tables that match are drawn\"");
  EXPECT_EQ(script("[variant_of(select, variants, all), select.options.map(({disabled}) => disabled)]"),
            R"(["w",[true,false]])");
}

TEST(FiguresScript, shows_each_process_of_the_rows_that_are_left_when_asked) {
  Script script("figures.js",
                "const usermeta = {processes: {p: {a: [[1, 5], [2, 6]], b: [[1, 7]]}}};"
                "const spec = {height: {step: 20}, layer: [{name: 'processes'}, {}], datasets: {rows: [{variant: 'a', "
                "benchmark: 'f/a/w', phase: 'p'}, {variant: 'c', benchmark: 'f/c/w', phase: 'p'}]}};");
  EXPECT_EQ(
      script("with_processes(spec, usermeta, true).datasets.processes"),
      R"([{"variant":"a","benchmark":"f/a/w","phase":"p","block":1,"value":5},{"variant":"a","benchmark":"f/a/w","phase":"p","block":2,"value":6}])");
  EXPECT_EQ(script("with_processes(spec, usermeta, true).height.step"), "30");
  EXPECT_EQ(script("[with_processes(spec, usermeta, false).layer, spec.height.step]"), "[[{}],20]");
  EXPECT_EQ(script("with_processes({layer: [1]}, undefined, true)"), R"({"layer":[1]})");
}

TEST(FiguresScript, marks_an_articles_values_of_the_variants_that_are_left) {
  Script script("figures.js",
                "const of = (published) => ({layer: [{name: 'published'}, {}], datasets: {rows: [{variant: 'a'}], "
                "published}});");
  EXPECT_EQ(script("with_published(of([{variant: 'a'}, {variant: 'b'}])).datasets.published"), R"([{"variant":"a"}])");
  EXPECT_EQ(script("with_published(of([{variant: 'b'}])).layer"), "[{}]");
  EXPECT_EQ(script("with_published({layer: [], datasets: {rows: []}})"), R"({"layer":[],"datasets":{"rows":[]}})");
}

TEST(FilterScript, matches_benchmarks_by_text_family_and_verdict) {
  Script script("filter.js",
                "const verdicts = new Map([['f/a/x', new Set(['same', ''])], ['f/b/x', new Set(['slower'])]]);");
  EXPECT_EQ(script("verdicts_by_benchmark([{benchmarks: ['a'], verdict: 'same'}, {benchmarks: ['a'], verdict: ''}])"
                   ".get('a').size"),
            "2");
  const auto matches = [&](const std::string& filter, const std::string& row) {
    return script("matcher({text: '', family: '', verdict: '', ..." + filter + "}, verdicts)(" + row + ")");
  };
  EXPECT_EQ(matches("{text: 'A/'}", "['f/a/x'], ''"), "true");
  EXPECT_EQ(matches("{text: 'c/'}", "['f/a/x'], ''"), "false");
  EXPECT_EQ(matches("{family: 'f'}", "['f/a/x'], ''"), "true");
  EXPECT_EQ(matches("{family: 'a'}", "['f/a/x'], ''"), "false");
  EXPECT_EQ(matches("{verdict: 'same'}", "['f/a/x'], ''"), "true") << "by its verdict in another table";
  EXPECT_EQ(matches("{verdict: 'same'}", "['f/b/x'], ''"), "false");
  EXPECT_EQ(matches("{verdict: 'same'}", "['f/a/x'], 'slower'"), "false");
}

TEST(FilterScript, says_what_is_left) {
  Script script("filter.js");
  EXPECT_EQ(script("describe({text: 'a', family: '', verdict: 'same'})"), "\"name “a”, verdict same\"");
  EXPECT_EQ(script("status_of('', 5, 5)"), "\"\"");
  EXPECT_EQ(script("status_of('family f', 2, 5)"), "\"Filtered by family f: 2 of 5 rows are shown.\"");
  EXPECT_EQ(script("status_of('family f', 0, 5)"),
            "\"No benchmark matches family f. Clear the filter to see all benchmarks.\"");
}

TEST(AddressScript, is_an_id_and_values) {
  Script script("address.js");
  EXPECT_EQ(script("parts_of('#a%20b?text=x+y%2Fz&t.sort=-time&no')"),
            R"({"id":"a b","values":{"text":"x y/z","t.sort":"-time"}})");
  EXPECT_EQ(script("parts_of('')"), R"({"id":"","values":{}})");
  EXPECT_EQ(script("parts_of('#100%?text=+no%zz+')"), R"({"id":"100%","values":{"text":"no%zz"}})");
  EXPECT_EQ(script("address('table-a', {text: '', 't.x': 'a b/c&d=1'})"), "\"#table-a?t.x=a+b/c%26d%3D1\"");
  EXPECT_EQ(script("address('a b', {text: ''})"), "\"#a%20b\"");
  EXPECT_EQ(script("parts_of(address('s', {a: '>=2 ms, +1 % “x”?&#'})).values.a"), "\">=2 ms, +1 % “x”?&#\"");
}

TEST(TableScript, reads_the_number_that_a_text_begins_with) {
  Script script("table.js");
  const auto values = [&](const std::string& texts) { return script("[" + texts + "].map(value_of)"); };
  EXPECT_EQ(values("'1,234.5', '−3 %', '-.5', '[1.5, 2]', '≈ 7', '1e3'"), "[1234.5,-3,-0.5,1.5,7,1000]");
  EXPECT_EQ(values("'4.5 ms', '980 µs', '12 ns', '2 KiB', '3 s', '3 samples'"),
            "[4500000,980000,12,2048,3000000000,3]");
  EXPECT_EQ(values("'2026-11-27', 'none', '', 'reference'"), "[20261127,null,null,null]") << "null: NaN in JSON";
  EXPECT_EQ(script("['4.03 ms', '45 %', '22.3.6', '2 of 5', 'a1'].map(is_quantity)"), "[true,true,false,false,false]");
}

TEST(TableScript, names_columns_by_their_titles) {
  Script script("table.js");
  EXPECT_EQ(script("keys_of(['Time, ns', '95 % interval', '95 % interval', 'Sort', '%'])"),
            R"(["time-ns","95-interval","95-interval-2","sort-2","column"])");
}

TEST(TableScript, sorts_numbers_and_texts_with_empty_cells_last) {
  Script script(
      "table.js",
      "const collate = (a, b) => a < b ? -1 : a > b;"
      "const rows = ['10', '', '9', 'none', '9'].map((text, id) => ({texts: [text], values: [text === '' || text === "
      "'none' ? NaN : Number(text)], id}));"
      "const sorted = (is_number, direction) => [...rows].sort(comparer(0, is_number, direction, "
      "collate)).map(({texts, id}) => texts[0] + ':' + id);");
  EXPECT_EQ(script("sorted(true, 1)"), R"(["9:2","9:4","10:0","none:3",":1"])");
  EXPECT_EQ(script("sorted(true, -1)"), R"(["10:0","9:2","9:4","none:3",":1"])");
  EXPECT_EQ(script("sorted(false, 1)"), R"(["10:0","9:2","9:4","none:3",":1"])");
  EXPECT_EQ(script("sorted(false, -1)"), R"(["none:3","9:2","9:4","10:0",":1"])");
}

TEST(TableScript, filters_by_text_and_by_number) {
  Script script("table.js");
  const auto kept = [&](const std::string& query) {
    return script("['4.03 ms', '900 µs', 'None', ''].filter((text) => kept_by('" + query + "')(text, value_of(text)))");
  };
  EXPECT_EQ(kept(" "), R"(["4.03 ms","900 µs","None",""])");
  EXPECT_EQ(kept("NON"), R"(["None"])");
  EXPECT_EQ(kept("!none"), R"(["4.03 ms","900 µs",""])");
  EXPECT_EQ(kept("!"), R"(["4.03 ms","900 µs","None",""])") << "not yet complete";
  EXPECT_EQ(kept("=none"), R"(["None"])");
  EXPECT_EQ(kept("="), R"([""])");
  EXPECT_EQ(kept("<1ms"), R"(["900 µs"])");
  EXPECT_EQ(kept(">= 4.03 ms"), R"(["4.03 ms"])");
  EXPECT_EQ(kept("!>1 ms"), R"(["900 µs","None",""])");
  EXPECT_EQ(kept("1 µs..1 ms"), R"(["900 µs"])");
  EXPECT_EQ(kept("<no"), "[]") << "a text without a number";
}

TEST(TableScript, keeps_what_it_shows_in_values) {
  Script script("table.js", "const keys = ['name', 'time-ns', 'note'];");
  const std::string state = R"({"sort":"-time-ns","shown":["name","note"],"filters":{"note":"<5"}})";
  EXPECT_EQ(script("values_of(" + state + ", 'a.b', keys)"),
            R"({"a.b.sort":"-time-ns","a.b.columns":"name,note","a.b.name":"","a.b.time-ns":"","a.b.note":"<5"})");
  EXPECT_EQ(script("state_of(values_of(" + state + ", 'a.b', keys), 'a.b', keys)"), state);
  EXPECT_EQ(script("state_of({'t.sort': '-gone', 't.columns': 'gone', 'u.name': 'x'}, 't', keys)"),
            R"({"sort":"","shown":null,"filters":{}})")
      << "of another report: a column that this one lacks";
  EXPECT_EQ(script("Object.values(values_of(kAsReported, 't', keys)).join('')"), "\"\"");
}

TEST(TableScript, says_what_it_shows) {
  Script script("table.js", "const columns = [{key: 'a', title: 'A'}, {key: 'b', title: 'B'}];");
  EXPECT_EQ(script("sentence_of(kAsReported, columns, 5, 5)"), "\"\"");
  EXPECT_EQ(script("sentence_of({sort: '-a', filters: {a: '<1', b: 'x'}}, columns, 2, 5)"),
            "\"Sorted by A, largest first. 2 of 5 rows match A “<1” and B “x”.\"");
}

TEST(TableScript, writes_csv_and_markdown) {
  Script script("table.js");
  EXPECT_EQ(script("csv_of([['A', 'B, ns'], ['a \"q\"', '1,234'], ['', 'two\\nlines']])"),
            R"("A,\"B, ns\"\r\n\"a \"\"q\"\"\",\"1,234\"\r\n,\"two\nlines\"\r\n")");
  EXPECT_EQ(script("markdown_of([['A', 'B'], ['a|b_c', '1']], [false, true])"),
            R"("| A | B |\n| --- | ---: |\n| a\\|b\\_c | 1 |\n")");
}

TEST(MatrixScript, finds_rows_columns_and_answers) {
  Script script = matrix();
  EXPECT_EQ(script("rows_of({blocks: [{format: 'r8', rows: ['q'], extents: [3]}]})"),
            R"([{"query":"q","row":0,"block":0,"format":"r8","extent":3}])");
  const std::string data = "{blocks: [{tables: [[64, 16, null, null, -1, 0]], refusals: ['too big']}]}";
  const auto answer = [&](const std::string& tables, int row) {
    return script("answer(" + data + ", {tables: [" + tables + "]}, {block: 0, row: " + std::to_string(row) + "})");
  };
  EXPECT_EQ(answer("0", 0), R"({"size":64,"alignment":16})");
  EXPECT_EQ(answer("0", 1), "null");
  EXPECT_EQ(answer("0", 2), R"({"refused":"too big"})");
  EXPECT_EQ(answer("null", 0), "null");
  const std::string rows = "[{query: '8x8', format: 'r8', extent: 8}, {query: '99 bytes', format: 'r8', extent: null}]";
  EXPECT_EQ(script("shown_rows(" + rows + ", {text: '', format: '', size: ''}).length"), "2");
  EXPECT_EQ(script("shown_rows(" + rows + ", {text: '', format: '', size: 'up to 16 texels'}).length"), "1");
  EXPECT_EQ(script("shown_rows(" + rows + ", {text: 'BYTES', format: 'r8', size: ''}).length"), "1");
  EXPECT_EQ(script("shown_columns([{members: [{driver: 'a', chip: 'c'}]}], {driver: 'a', chip: 'd'}).length"), "0");
  EXPECT_EQ(script("shown_rows([{query: '128x16 r8 optimal'}], {text: 'optimal 128x16'}).length"), "1");
  const auto understood = [&](const std::string& text) {
    return script("understood({text: '" + text +
                  "', chip: '', driver: ''}, [{chip: 'navi10', driver: 'radv-22.3'}, {chip: 'navi1', driver: ''}])");
  };
  EXPECT_EQ(understood("128x16 Navi 10"), R"({"chip":"navi10","driver":"","text":"128x16"})");
  EXPECT_EQ(understood("radv 22.3 64"), R"({"chip":"","driver":"radv-22.3","text":"64"})");
  EXPECT_EQ(understood("navi100"), R"({"chip":"","driver":"","text":"navi100"})");
}

TEST(MatrixScript, renders_the_window_and_says_what_is_left) {
  Script script = matrix();
  EXPECT_EQ(script("from_to(440, 88, kRow, 100)"), "[6,16]");
  EXPECT_EQ(script("from_to(0, 88, kRow, 3)"), "[0,3]");
  EXPECT_EQ(script("words_of('16x16 sampled')"), R"(["16x16","sampled"])");
  EXPECT_EQ(script("words_of('1 byte, vertices')"), R"(["1 byte","vertices"])");
  EXPECT_EQ(script("unique(['b', '', 'a', 'b'])"), R"(["a","b"])");
  EXPECT_EQ(script("status_of(2, 5, 1, 3)"),
            "\"2 of 5 queries; 1 of 3 driver columns, those with equal answers in one.\"");
  EXPECT_EQ(script("status_of(2, 5, 0, 3)"), "\"No answer matches. Clear the filter to see all.\"");
}

TEST(FiguresScript, shows_the_first_rows_of_a_ranked_chart_until_all_are_wanted_or_a_filter_leaves_fewer) {
  Script script("figures.js",
                "const ranked = {datasets: {rows: [{variant: 'a', benchmark: 'f/a/w'}, {variant: 'b', benchmark: "
                "'f/b/w'}, {variant: 'c', benchmark: 'f/c/w'}]}, usermeta: {first: ['a', 'c']}};"
                "const all = {matches: () => true}, of_b = {matches: ([name]) => name === 'f/b/w'};"
                "const names = (rows) => rows.map(({variant}) => variant).join('');");
  EXPECT_EQ(script("names(first_rows(ranked, all, false))"), "\"ac\"");
  EXPECT_EQ(script("names(first_rows(ranked, all, true))"), "\"abc\"");
  EXPECT_EQ(script("names(first_rows(ranked, of_b, false))"), "\"abc\"");
}

TEST(FiguresScript, a_range_of_time_keeps_what_is_in_it_and_cuts_levels_at_its_ends) {
  Script script(
      "figures.js",
      "const day = (number) => `2026-08-0${number}T00:00:00.000Z`, range = [Date.parse(day(2)), Date.parse(day(4))];"
      "const over = {encoding: {x: {field: 'at', type: 'temporal'}}, layer: [{data: {name: 'levels'}, encoding: {x: "
      "{field: 'from'}, x2: {field: 'to'}}}, {data: {name: 'changes'}, encoding: {x: {field: 'at'}}}, {}], "
      "datasets: {rows: [1, 2, 3, 5].map((one) => ({at: day(one)})), levels: [{from: day(1), to: day(3)}, {from: "
      "day(5), to: day(6)}], changes: [{at: day(5)}]}};");
  EXPECT_EQ(script("zoomed(over, range).datasets.rows.length"), "2");
  EXPECT_EQ(script("zoomed(over, range).datasets.levels"),
            R"([{"from":"2026-08-02T00:00:00.000Z","to":"2026-08-03T00:00:00.000Z"}])");
  EXPECT_EQ(script("zoomed(over, range).layer.length"), "2") << "Vega cannot scale a layer without rows";
  EXPECT_EQ(script("zoomed(over, range).encoding.x.scale.domain[0] === range[0]"), "true");
  EXPECT_EQ(script("zoomed(over, null) === over"), "true");
  EXPECT_EQ(script("zoomed(over, [0, 1]) === over"), "true") << "nothing is there";
}

TEST(ZoomScript, reads_and_names_ranges) {
  Script script("zoom.js", "const ends = [Date.parse('2026-08-01'), Date.parse('2026-09-30')];");
  EXPECT_EQ(script("range_of({from: '2026-08-10', to: '2026-08-11'}, ends).map((one) => new Date(one).toISOString())"),
            R"(["2026-08-10T00:00:00.000Z","2026-08-11T23:59:59.999Z"])");
  EXPECT_EQ(script("range_of({from: '2026-09-10', to: ''}, ends)[1] === ends[1]"), "true") << "goes on as results come";
  EXPECT_EQ(script("range_of({from: '', to: ''}, ends)"), "null");
  EXPECT_EQ(script("range_of({from: '2026-09-10', to: '2026-08-01'}, ends)"), "null");
  EXPECT_EQ(script("range_of({from: '<b>', to: '2026-02-31T99:99'}, ends)"), "null");
  EXPECT_EQ(script("named(ends[0], 5 * kDay)"), "\"2026-08-01T00:00\"");
  EXPECT_EQ(script("named(ends[0], 50 * kDay)"), "\"2026-08-01\"");
  EXPECT_EQ(script("pressed({from: '2026-08-31', to: ''}, ends[1])"), "\"30\"");
  EXPECT_EQ(script("pressed({from: '', to: ''}, ends[1])"), "\"all\"");
  EXPECT_EQ(script("pressed({from: '2026-08-31', to: '2026-09-01'}, ends[1])"), "\"\"");
}

TEST(GridScript, chooses_rows_by_text_or_stars_and_columns_by_class) {
  Script script(
      "grid.js",
      "const data = {benchmarks: ['a/buddy/churn', 'a/malloc/churn', 'b/buddy/x'], machines: [{id: 'm', class: "
      "'epyc'}, {id: 'n', class: 'xeon'}, {id: 'o', class: 'xeon'}]};");
  EXPECT_EQ(script("chosen_rows(data, {filter: 'BUDDY'})"), "[0,2]");
  EXPECT_EQ(script("chosen_rows(data, {filter: 'a/*/churn'})"), "[0,1]");
  EXPECT_EQ(script("chosen_rows(data, {filter: '*buddy'})"), "[]") << "stars name all of it";
  EXPECT_EQ(script("chosen_rows(data, {filter: '(['})"), "[]");
  EXPECT_EQ(script("chosen_columns(data, {machine_class: 'xeon'})"), "[1,2]");
  EXPECT_EQ(script("groups_of(data, [0, 1, 2])"),
            R"([{"name":"epyc","first":0,"count":1},{"name":"xeon","first":1,"count":2}])");
  EXPECT_EQ(script("choice_of({'grid.filter': 'x', 'grid.nights': '7'})"),
            R"({"filter":"x","machine_class":"","nights":30})");
  EXPECT_EQ(script("choice_of(values_of({filter: 'x', machine_class: 'y', nights: 90}))"),
            R"({"filter":"x","machine_class":"y","nights":90})");
}

TEST(GridScript, draws_nights_with_gaps_and_says_what_changed) {
  Script script("grid.js");
  EXPECT_EQ(script("line_of([1, 2, null, 1, null], 50, 10)"), "\"M5.0 10.0L15.0 0.0M35.0 10.0h.01\"");
  EXPECT_EQ(script("line_of([null], 50, 10)"), "\"\"");
  EXPECT_EQ(script("line_of([1, 1.006], 50, 10)"), "\"M12.5 5.5L37.5 4.5\"") << "little noise looks calm";
  EXPECT_EQ(script("in_sight(100, 50, 10, 40)"), "[7,18]");
  EXPECT_EQ(script("blocks_of([0, 19, 20, 61])"), "[0,1,3]");
  const std::string nights = "['2026-08-01', '2026-08-02', '2026-08-03', '2026-08-04']";
  EXPECT_EQ(script("label_of('b', {id: 'm'}, 'r', {values: [1, 1, 1.1, 1.1], changes: [[2, 'r']]}, " + nights + ")"),
            "\"b on m: regressed +10.0 % on 2026-08-03\"");
  EXPECT_EQ(script("label_of('b', {id: 'm'}, '.', undefined, " + nights + ")"), "\"b on m: no data\"");
  EXPECT_EQ(script("address_of('a \"&#', 'x/y')"), "\"./series?m=a%20%22%26%23&b=x%2Fy\"");
}

TEST(GridScript, keys_lead_from_cell_to_cell_within_the_grid) {
  Script script("grid.js");
  const auto to = [&](const std::string& key, const std::string& from = "[5, 1]", bool ctrl = false) {
    return script("moved(" + from + ", {key: '" + key + "', ctrlKey: " + (ctrl ? "true" : "false") + "}, 20, 3, 8)");
  };
  EXPECT_EQ(to("ArrowDown"), "[6,1]");
  EXPECT_EQ(to("ArrowUp", "[0, 1]"), "[0,1]");
  EXPECT_EQ(to("ArrowRight", "[5, 2]"), "[5,2]");
  EXPECT_EQ(to("PageDown", "[15, 0]"), "[19,0]");
  EXPECT_EQ(to("Home"), "[5,0]");
  EXPECT_EQ(to("End", "[5, 1]", true), "[19,2]");
  EXPECT_EQ(to("a"), "null");
}

TEST(FitScript, breaks_the_title_of_an_axis_that_is_wider_than_the_plot) {
  Script script("fit.js",
                "const half = (text, fontSize) => [...String(text)].length * fontSize / 2;"
                "const titled = (title) => ({config: {axis: {titleFontSize: 10}}, encoding: {x: {axis: {title}}}});"
                "const broken = (title, room) => { const spec = titled(title); break_titles(spec, room, half); "
                "return spec.encoding.x.axis.title; };");
  EXPECT_EQ(script("broken('bytes taken', 60)"), "\"bytes taken\"");
  EXPECT_EQ(script("broken('bytes taken', 40)"), R"(["bytes","taken"])");
}

}  // namespace lab::report
