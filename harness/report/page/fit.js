// fit_to(specification, width): fits a chart to a width, on the page and in an SVG file. Vega alone shrinks the plot, down
// to nothing. Here the legend gets more rows and names move above their marks first.
'use strict';
const kNarrow = 520;  // pixels: in narrower charts, a row's name is above its marks, not to their left
const kMostNames = 0.5, kFewNames = 0.1;  // maximum shares of the width for names to the left of marks; the second there
const kNumbers = 66, kTitle = 22;  // width in pixels of a numeric axis with its title, and of that title
const kEdges = 30;  // pixels of padding, both sides together
const kSymbol = 20;  // pixels of a legend's symbol, with its distance from the label

const views_of = (spec) => [spec, ...spec.layer ?? []];
const unique = (spec, field) => [...new Set(spec.datasets.rows.map((row) => row[field]))];
// measure(text, fontSize): pixels.
const measure_in = (font) => (text, fontSize) => vega.textMetrics.width({font, fontSize}, String(text));
const widest = (texts, fontSize, measure) => Math.max(0, ...texts.map((text) => measure(text, fontSize)));

const beginning = (text, kept) => `${text.slice(0, kept)}…`;
const both_ends = (text, kept) => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(-Math.floor(kept / 2))}`;
// A text that fits into `room`: itself, or `shorter`(text, characters).
const cut = (text, room, fontSize, shorter, measure) => {
  let kept = text.length, short = text;
  while (kept > 4 && measure(short, fontSize) > room) short = shorter(text, --kept);
  return short;
};
// The whole text in several lines, broken at its spaces: what a name says at its end may matter.
const in_lines = (text, room, fontSize, measure) => {
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && measure(longer, fontSize) <= room) lines[lines.length - 1] = longer;
    else lines.push(measure(word, fontSize) <= room ? word : cut(word, room, fontSize, beginning, measure));
  }
  return lines;
};
// A Vega expression that maps each label to what `shown` makes of it.
const label_expression = (texts, shown) => `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, shown(text)])))}[datum.label]`;

// Places the names of rows to the left of their marks or above them. Returns the width that they take.
const place_names = (spec, axis, width, measure) => {
  const names = unique(spec, axis.field), {labelFontSize, labelPadding} = spec.config.axis;
  const wide = widest(names, labelFontSize, measure);
  if (wide <= (width >= kNarrow ? kMostNames : kFewNames) * width) {
    axis.axis = {...axis.axis, labelLimit: kMostNames * width};
    return wide + labelPadding;
  }
  const room = width - kEdges;
  spec.config.axisYBand = {  // names are in front of shaded areas
    labelAlign: 'left', labelBaseline: 'bottom', labelPadding: 0, labelLimit: room, labelOffset: {expr: "-bandwidth('y') / 2"}, zindex: 1,
  };
  for (const {mark, encoding} of views_of(spec))  // a text above its mark would be over the name
    if (mark?.type === 'text' && mark.baseline === 'bottom' && !encoding.y) Object.assign(mark, {baseline: 'top', dy: 4});
  // Keep both ends, because names may differ at either.
  if (wide > room)
    axis.axis = {...axis.axis, labelExpr: label_expression(names, (text) => cut(text, room, labelFontSize, both_ends, measure))};
  if (spec.height.for === 'offset') {  // a row is as high as its steps; its name needs room once
    const row = spec.height.step * spec.encoding.yOffset.scale.domain.length;
    axis.scale = {...axis.scale, paddingInner: 22 / (22 + row), paddingOuter: 22 / row};
    return 0;
  }
  spec.height = {...spec.height, step: spec.height.step + 16};
  axis.scale = {paddingInner: 16 / spec.height.step + 0.1, paddingOuter: 0.4};
  return 0;
};

const legend_channels = (spec) => views_of(spec).flatMap(({encoding}) => ['color', 'shape', 'stroke', 'strokeDash'].map((name) => encoding?.[name]))
  .filter((channel) => channel?.type === 'nominal' && channel.legend !== null);

const place_legend = (spec, room, measure) => {
  const channels = legend_channels(spec);
  if (channels.length === 0) return;
  const entries = channels.flatMap(({field, scale}) => Array.isArray(scale?.domain) ? scale.domain : unique(spec, field)).map(String);
  const {columnPadding, labelFontSize} = spec.config.legend;
  const wide = widest(entries, labelFontSize, measure) + kSymbol;
  const columns = Math.max(1, Math.floor((room + columnPadding) / (wide + columnPadding)));
  spec.config.legend = {...spec.config.legend, columns, labelLimit: Math.max(room - kSymbol, 60)};
  if (wide <= room) return;
  const labelExpr = label_expression(entries, (text) => in_lines(text, room - kSymbol, labelFontSize, measure));
  for (const channel of channels) channel.legend = {...channel.legend, labelExpr};
};

// A scale of `size` pixels as functions to them and back.
const scale_of = ({type, domain}, size) => {
  const [into, back] = type === 'log' ? [Math.log, Math.exp] : [Number, Number];
  const [low, high] = domain.map(into);
  return {to: (value) => (into(value) - low) / (high - low) * size, from: (place) => back(low + place / size * (high - low))};
};

// The names of points (choice.json, trade_off.json).
const kLine = 14, kMark = 6, kStep = 9, kDirections = 16, kBeside = 2;

// The plot in pixels: place_of(row), and back.
const plot_of = ({encoding: {x, y}}, width, height) => {
  const x_scale = scale_of(x.scale, width), y_scale = scale_of(y.scale, height);
  const to_x = x_scale.to, to_y = (value) => height - y_scale.to(value);
  return {width, height, to_x, place_of: (row) => [to_x(row[x.field]), to_y(row[y.field])],
    from_x: x_scale.from, from_y: (value) => y_scale.from(height - value)};
};

const touch = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const box_around = (x, y, half_width, half_height) =>
  ({left: x - half_width, right: x + half_width, top: y - half_height, bottom: y + half_height});
// Small boxes along a line, without so much at its ends.
const along = (from_x, from_y, x, y, ends) => {
  const length = Math.hypot(x - from_x, y - from_y), steps = Math.floor(Math.max(0, length - ends) / 4);
  return Array.from({length: steps}, (_, at) => {
    const share = (at + 0.5) * 4 / length;
    return box_around(from_x + share * (x - from_x), from_y + share * (y - from_y), 1, 1);
  });
};

const boxes_of_marks = (rows, {to_x, place_of}) => rows.flatMap((row) => {
  const [x, y] = place_of(row), {low, high} = row;
  return [box_around(x, y, kMark, kMark), ...low === undefined ? [] : [{left: to_x(low), right: to_x(high), top: y - 1, bottom: y + 1}]];
});
// The front is drawn in steps.
const boxes_of_front = (front, {place_of}) => {
  const bend = front.map(place_of);
  return bend.slice(1).flatMap(([x, y], at) => {
    const [before_x, before_y] = bend[at];
    return [{left: before_x, right: x, top: before_y - 1, bottom: before_y + 1}, {left: x - 1, right: x + 1, top: before_y, bottom: y}];
  });
};
// Other lines join the points of one workload.
const boxes_of_lines = (rows, {place_of}) => rows.slice(1).flatMap((row, at) =>
  row.workload !== undefined && row.workload === rows[at].workload ? along(...place_of(rows[at]), ...place_of(row), 0) : []);

// The point of a name's box that is nearest to its mark.
const end_of_line = (box, x, y) =>
  [Math.min(Math.max(x, box.left + 2), box.right - 2), Math.min(Math.max(y, box.top + 2), box.bottom - 2)];

// Where a name may be, the nearest such place first.
const places_around = function* ([x, y], wide, most_away) {
  for (let away = 0; away < most_away; ++away)
    for (let at = 0; at < kDirections; ++at) {
      // Right, left, above, below first: 0, 8, 4, 12 of 16.
      const turn = 2 * Math.PI * ((at % 2) * 8 + [0, 4, 2, 6, 1, 5, 3, 7][at >> 1]) / kDirections;
      const centre_x = x + Math.cos(turn) * (kMark + 2 + wide / 2 + kStep * away);
      const centre_y = y + Math.sin(turn) * (kMark + kLine / 2 + kStep * away);
      yield {x: centre_x, y: centre_y, box: box_around(centre_x, centre_y, wide / 2, kLine / 2), away};
    }
};

const distance = ([x, y], [other_x, other_y]) => Math.hypot(x - other_x, y - other_y);

// The first place that is within the plot and hits nothing of `taken`, with its line, which crosses none of `uncrossed`; or
// null. A name that is not beside its point, or is nearer to one of `others`, gets a line to it.
const free_place = (point, wide, most_away, {width, height}, taken, uncrossed, others = []) => {
  for (const place of places_around(point, wide, most_away)) {
    const {box, away} = place;
    if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height || taken.some((one) => touch(box, one))) continue;
    const end = end_of_line(box, ...point), own = distance(end, point);
    const led = away >= kBeside || others.some((other) => distance(end_of_line(box, ...other), other) < own);
    const line = led ? along(...end, ...point, kMark + 2) : [];
    if (!line.some((piece) => uncrossed.some((one) => touch(piece, one)))) return {...place, led, line};
  }
  return null;
};

// Points on the front are first.
const ranked = (rows) => {
  const order = ['no figure for memory', 'on neither', "on its group's front", 'on the front'];
  return [...rows].sort((a, b) => order.indexOf(b.kind) - order.indexOf(a.kind));
};

// A narrow plot needs height in place of width.
const height_for_labels = (height, widths, plot_width) => {
  const area = widths.reduce((sum, wide) => sum + (wide + 12) * kLine, 0);
  return Math.min(1600, Math.max(height, Math.round(5 * area / plot_width)));
};

// Each row of `named` with the place of its name, where it hides no other point, interval, line or name. Its line crosses
// no name, point or line, if there is such a place. A row whose name finds no place is left out: the tooltip and the table
// name it.
const placed_labels = (named, rows, wide_of, most_away, plot, taken) => {
  const names_taken = [], lines_taken = [], points = rows.map(plot.place_of);
  return named.flatMap((row) => {
    const point = plot.place_of(row), others = points.filter((other) => distance(point, other) > 2 * kMark);
    const marks = others.map(([x, y]) => box_around(x, y, kMark, kMark));
    const place = (uncrossed) => free_place(point, wide_of(row) + 6, most_away, plot, taken, uncrossed, others);
    const placed = place([...names_taken, ...marks, ...lines_taken]) ?? place([...names_taken, ...marks]) ?? place(names_taken) ?? place([]);
    if (!placed) return [];
    taken.push(placed.box, ...placed.line);
    names_taken.push(placed.box);
    lines_taken.push(...placed.line);
    return [{row, ...placed}];
  });
};

const leader_of = ({row, box}, {x, y}, plot) => {
  const [to_x, to_y] = end_of_line(box, ...plot.place_of(row));
  return {benchmark: row.benchmark, x: row[x.field], y: row[y.field], to_x: plot.from_x(to_x), to_y: plot.from_y(to_y)};
};

const place_labels = (spec, plot_width, measure) => {
  const layer = views_of(spec).find(({name}) => name === 'labels'), {rows, front} = spec.datasets;
  if (!layer || !rows.length) return;
  const fontSize = layer.mark.fontSize, name = layer.encoding.text.field;
  const most_away = name === 'label' ? 3 : 40;  // steps: the place on an axis says too little for a long line to it
  const named = rows.filter((row) => row[name] !== ''), wide_of = (row) => measure(row[name], fontSize);
  spec.height = height_for_labels(spec.height, named.map(wide_of), plot_width);
  const plot = plot_of(spec, plot_width, spec.height);
  const taken = [...boxes_of_marks(rows, plot), ...boxes_of_front(front ?? [], plot), ...boxes_of_lines(rows, plot)];
  const placed = placed_labels(ranked(named), rows, wide_of, most_away, plot, taken);
  spec.datasets.labels = placed.map(({row, x, y}) => ({[name]: row[name], benchmark: row.benchmark, x: plot.from_x(x), y: plot.from_y(y)}));
  spec.datasets.leaders = placed.filter(({led}) => led).map((one) => leader_of(one, spec.encoding, plot));
  // Vega cannot scale the fields of no rows.
  spec.layer = spec.layer.filter((one) => spec.datasets[one.name]?.length !== 0);
};

// The axis has the same width whatever its numbers are: names are placed before it is drawn.
const fix_numbers = (spec) => {
  const extent = kNumbers - kTitle, config = spec.config.axisY ?? {};
  spec.config.axisY = {...config, minExtent: extent, maxExtent: extent};
  return kNumbers;
};

// A title below the plot is no wider than that.
const break_titles = (spec, room, measure) => {
  for (const {encoding} of views_of(spec)) {
    const axis = encoding?.x?.axis;
    if (typeof axis?.title !== 'string') continue;
    const lines = in_lines(axis.title, room, spec.config.axis.titleFontSize, measure);
    if (lines.length > 1) axis.title = lines;
  }
};

// How high a drawing is on paper, for the page's style: two rows of plots on a sheet; 'long': made so small, its words could
// not be read, so it has a sheet; 'longest': not on a sheet either, so it continues on the next one.
globalThis.length_on_paper = (width, height) => height <= 1.25 * width ? '' : height <= 5 * width ? 'long' : 'longest';

globalThis.fit_to = (spec, width) => {
  const measure = measure_in(spec.config.font), names = spec.encoding?.y;
  const names_width = names?.type === 'nominal' ? place_names(spec, names, width, measure) : fix_numbers(spec);
  place_legend(spec, width - names_width - kEdges, measure);
  place_labels(spec, width - names_width - kEdges, measure);
  break_titles(spec, width - names_width - kEdges, measure);
  return spec;
};
