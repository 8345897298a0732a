(() => {
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
})();
// make(tag, properties, children...): an element, for all scripts of the page.
'use strict';
document.documentElement.classList.add('scripted');
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const page_address = (() => {
// The page's address: #<id>?<name>=<value>&... The id is that of the part that a link leads to. The values are what filters
// and tables show (filter.js, table.js): they survive a reload, and a link within the page keeps them.
'use strict';
// A typed address may not be valid percent-encoding.
const decoded = (text) => {
  try { return decodeURIComponent(text); } catch { return text; }
};
const encoded = (text) => encodeURIComponent(text).replace(/%20/g, '+').replace(/%(2F|2C|3A)/g, decodeURIComponent);

const parts_of = (hash) => {
  const [id, ...queries] = hash.slice(1).split('?');
  const pairs = queries.join('?').split('&').filter((pair) => pair.includes('='));
  return {id: decoded(id), values: Object.fromEntries(pairs.map((pair) =>
    [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)].map((text) => decoded(text.replace(/\+/g, ' ')).trim())))};
};

// Values without text are left out.
const address = (id, values) => {
  const set = Object.entries(values).filter(([, value]) => value !== '').map((pair) => pair.map(encoded).join('='));
  return `#${encodeURIComponent(id)}${set.length === 0 ? '' : `?${set.join('&')}`}`;
};

// Opens a closed part, what the target is folded in, and marks a row.
const reveal = (target) => {
  for (const row of document.querySelectorAll('tr.marked')) row.classList.remove('marked');
  const part = target?.querySelector(':scope > details.part') ?? target?.closest('details');
  for (let folded = part; folded; folded = folded.parentElement.closest('details')) folded.open = true;
  if (!target?.matches('tr')) return;
  target.classList.add('marked');
  for (const folded of target.querySelectorAll('details')) folded.open = true;
};

const scroll_to = (target) => target?.scrollIntoView({behavior: 'instant', block: target.matches('tr') ? 'center' : 'start'});

const start_address = () => {
  const listeners = [], now = () => parts_of(location.hash);
  const arrive = (waiting) => {
    const target = document.getElementById(now().id);
    reveal(target);
    scroll_to(target);
    if (waiting.length > 0) Promise.all(waiting).then(() => scroll_to(target));
  };
  const follow = () => arrive(listeners.map((then) => then(now())));
  let first = [];  // what the listeners of a page that is opened wait for
  window.addEventListener('hashchange', follow);
  document.addEventListener('DOMContentLoaded', () => { if (location.hash !== '') arrive(first); });
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const hash = address(decoded(link.getAttribute('href').slice(1)), now().values);
    event.preventDefault();
    if (hash === location.hash) follow(); else location.hash = hash;
  });
  return {
    now,
    // Calls then({id, values}) when the page is opened with values, and whenever its address changes. `then` may return a
    // promise: the page scrolls to its target again when it is kept.
    listen(then) {
      listeners.push(then);
      if (location.hash.includes('?')) first = [...first, then(now())];
    },
    // Sets some values, and removes those that are ''. `id`: what the address leads to from now on.
    set(values, id = now().id) {
      history.replaceState(null, '', address(id, {...now().values, ...values}));
    },
  };
};
return start_address();
})();
const charts = (() => {
// Draws each figure's chart from the specification in the page. A figure with an SVG shows it until then. A reader's
// choice is {matches(benchmarks, verdict), columns}: indices of the atlas's columns whose lines are drawn; null: those that
// the report chose.
'use strict';
const is_kept = ({matches}, row) => !row.benchmark || matches([row.benchmark], row.verdict ?? '');
const has_lines = ({usermeta}, {columns}) => Boolean(usermeta?.lines && columns);
const matching_lines = ({lines}, {columns}) => lines.filter((line) => line.columns.some((column) => columns.has(column)));

// Each series keeps its colour and symbol, whichever series remain.
const fix_series = (spec) => {
  const unique = (field) => [...new Set(spec.datasets.rows.map((row) => row[field]))];
  for (const {data, encoding} of [spec, ...spec.layer ?? []])
    for (const channel of ['color', 'shape', 'stroke', 'strokeDash'].map((name) => encoding?.[name]))
      if (channel?.type === 'nominal' && !channel.scale?.domain && (data?.name ?? 'rows') === 'rows') {
        channel.scale = {...channel.scale, domain: unique(channel.field)};
        if (channel.legend === null) delete channel.legend;  // one null would remove the legends of all channels with this domain
      }
};

// The rows of the first lines with a chosen column.
const chosen_rows = (usermeta, choice) => matching_lines(usermeta, choice).slice(0, usermeta.most)
  .flatMap(({driver, values}, order) => values.flatMap((value, at) =>
    value === null ? [] : [{...usermeta.points[at], driver, order, value}]));

// The variant that the figure's select chooses; another one if the filter leaves no row of it.
const variant_of = (select, {datasets, usermeta}, choice) => {
  const left = new Set(datasets.rows.filter((row) => is_kept(choice, row)).map(({variant}) => variant));
  for (const option of select.options) option.disabled = !left.has(option.value);
  if (left.size > 0 && !left.has(select.value)) select.value = usermeta.variants.find((one) => left.has(one));
  return select.value;
};

// Of a ranked chart, the rows that are shown first, unless the reader asked for all or a filter leaves fewer.
const first_rows = ({datasets: {rows}, usermeta: {first}}, choice, wants_all) =>
  wants_all || rows.some((row) => !is_kept(choice, row)) ? rows : rows.filter(({variant}) => first.includes(variant));

// The layer of single processes is drawn if the reader asked for it: of the rows that are left. It needs more height.
const process_rows = ({processes}, rows) => rows.flatMap(({variant, benchmark, phase}) =>
  (processes?.[phase]?.[variant] ?? []).map(([block, value]) => ({variant, benchmark, phase, block, value})));
const with_processes = (spec, usermeta, wanted) => {
  if (!usermeta?.processes) return spec;
  const rows = wanted ? process_rows(usermeta, spec.datasets.rows) : [];
  if (rows.length === 0) return without_layer(spec, 'processes');
  return {...spec, height: {...spec.height, step: 1.5 * spec.height.step}, datasets: {...spec.datasets, processes: rows}};
};

// The rows of a chart before the filter.
const all_rows = (figure, specification, choice) => {
  const {datasets, usermeta} = specification;
  if (has_lines(specification, choice)) return chosen_rows(usermeta, choice);
  if (usermeta?.first) return first_rows(specification, choice, figure.wants_all);
  if (!usermeta?.variants) return datasets.rows;
  const drawn = variant_of(figure.querySelector('.variant select'), specification, choice);
  return datasets.rows.filter(({variant}) => variant === drawn);
};

const without_layer = (spec, unwanted) => ({...spec, layer: spec.layer.filter(({name}) => name !== unwanted)});

// An article's values of the variants that are left: others would get empty rows.
const with_published = (spec) => {
  const {rows, published} = spec.datasets;
  if (!published) return spec;
  const left = published.filter(({variant}) => rows.some((row) => row.variant === variant));
  return left.length === 0 ? without_layer(spec, 'published') : {...spec, datasets: {...spec.datasets, published: left}};
};

// The specification with those of `rows` that match the filter; null if there are none.
const filtered = ({usermeta, ...drawn}, rows, choice) => {
  const spec = structuredClone({...drawn, datasets: {...drawn.datasets, rows}}), kept = (row) => is_kept(choice, row);
  if (!spec.datasets.rows.every(kept)) fix_series(spec);
  for (const [name, some] of Object.entries(spec.datasets)) spec.datasets[name] = some.filter(kept);
  return spec.datasets.rows.length === 0 ? null : with_published(spec);
};

// The title describes all rows, so a filtered chart says how many are left; null if all are.
const part_of = (specification, left, all, choice) => {
  if (!has_lines(specification, choice)) return left === all ? null : `${left} of ${all} marks are shown`;
  const matching = matching_lines(specification.usermeta, choice).length;
  return `${Math.min(specification.usermeta.most, matching)} of the ${matching} tables that match are drawn`;
};
const show_part = (figure, part) => {
  figure.querySelector('.part')?.remove();
  if (part === null) return;
  figure.querySelector('figcaption').append(make('span', {className: 'part', textContent: `Filtered: ${part}; the title describes all.`}));
};

// If the section has no table, which would say that nothing matches, its charts do.
const show_if_none = (group) => {
  if (group.parentElement.querySelector(':scope > .table tr[data-benchmark]')) return;
  if (group.nextElementSibling?.className !== 'nothing')
    group.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No mark of these charts matches the filter.</p>');
  group.nextElementSibling.hidden = [...group.children].some(({hidden}) => !hidden);
};

// Draws into a frame beside the plot, and replaces the plot if is_latest() then.
const embed = async (plot, spec, is_latest) => {
  fit_to(spec, plot.clientWidth);
  const frame = make('div', {className: 'plot'});
  for (const name of ['role', 'aria-label']) frame.setAttribute(name, plot.getAttribute(name));
  plot.after(frame);
  try {
    await vegaEmbed(frame, spec, {mode: 'vega-lite', renderer: 'svg', actions: false, ast: true, tooltip: {theme: 'lab'}, logLevel: vega.Error});
    const svg = frame.querySelector('svg');
    svg.setAttribute('class', `marks ${length_on_paper(svg.width.baseVal.value, svg.height.baseVal.value)}`.trim());
    for (const empty of frame.querySelectorAll('g[role]:empty')) empty.removeAttribute('role');  // Vega names a layer without marks, too
    if (is_latest()) plot.remove(); else frame.remove();
  } catch (error) {
    frame.remove();
    plot.append(`This chart could not be drawn here: ${error.message}. The table contains its figures.`);
  }
};

// A closed part of the page has no width; its figures are drawn when it opens.
const is_closed = (figure) => figure.closest('details:not([open])') !== null;

const draw = async (figure, specification, choice) => {
  const turn = figure.turn = (figure.turn ?? 0) + 1;  // of two overlapping calls, the later one wins
  const rows = all_rows(figure, specification, choice), spec = filtered(specification, rows, choice);
  figure.hidden = spec === null;
  show_if_none(figure.closest('.charts'));
  if (spec === null || is_closed(figure)) return;
  show_part(figure, part_of(specification, spec.datasets.rows.length, rows.length, choice));
  await embed(figure.querySelector('.plot'), with_processes(spec, specification.usermeta, figure.wants_processes), () => turn === figure.turn);
};

// A rotated phone has another width.
const on_new_width = (then) => {
  let width = window.innerWidth, turned = 0;
  const look = () => {
    if (width === window.innerWidth) return;
    width = window.innerWidth;
    then();
  };
  window.addEventListener('resize', () => {
    clearTimeout(turned);
    turned = setTimeout(look, 120);
  });
};

const offer_variants = (then) => {
  for (const label of document.querySelectorAll('figure .variant')) {
    label.hidden = false;
    label.querySelector('select').addEventListener('change', () => then(label.closest('figure')));
  }
};

// A ranked chart says how many rows it leaves out, and offers them.
const offer_all = (specification_of, then) => {
  for (const figure of document.querySelectorAll('figure[data-chart]')) {
    const {datasets, usermeta} = specification_of(figure);
    if (!usermeta?.first) continue;
    const all = unique_variants(datasets.rows), button = make('button', {type: 'button'});
    const says = make('p', {className: 'ranked'}, make('span', {}), ' ', button);
    const update = () => {
      says.firstChild.textContent = figure.wants_all ? `All ${all} variants are shown.` : `${usermeta.first.length} of ${all} variants are shown.`;
      button.textContent = figure.wants_all ? 'Show fewer' : 'Show all';
      button.setAttribute('aria-expanded', String(Boolean(figure.wants_all)));
    };
    button.addEventListener('click', () => {
      figure.wants_all = !figure.wants_all;
      update();
      then(figure);
    });
    update();
    figure.querySelector('.plot').after(says);
  }
};
// The median of each process of a row, from a button or a mark of the chart.
const offer_processes = (specification_of, then) => {
  for (const figure of document.querySelectorAll('figure[data-chart]')) {
    if (!specification_of(figure).usermeta?.processes) continue;
    const button = make('button', {type: 'button', textContent: 'Show each process'});
    const toggle = () => {
      figure.wants_processes = !figure.wants_processes;
      button.textContent = figure.wants_processes ? 'Hide the processes' : 'Show each process';
      button.setAttribute('aria-expanded', String(figure.wants_processes));
      then(figure);
    };
    button.setAttribute('aria-expanded', 'false');
    button.addEventListener('click', toggle);
    figure.addEventListener('click', ({target}) => { if (target.closest('.mark-symbol.role-mark')) toggle(); });
    const beside = figure.querySelector('.ranked');
    if (beside) beside.append(' ', button); else figure.querySelector('.plot').after(make('p', {className: 'ranked'}, button));
  }
};
const unique_variants = (rows) => new Set(rows.map(({variant}) => variant)).size;
// By benchmark, the figures that draw it.
const by_benchmark = (figures, specification_of) => {
  const found = new Map();
  for (const figure of figures)
    for (const name of new Set(specification_of(figure).datasets.rows.map(({benchmark}) => benchmark)))
      if (name) found.set(name, [...found.get(name) ?? [], figure]);
  return found;
};

const start_charts = () => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const specification_of = (figure) => specifications[figure.dataset.chart];
  const figures = [...document.querySelectorAll('figure[data-chart]')], choice = {matches: () => true, columns: null};
  const draw_all = async (some) => { for (const figure of some) await draw(figure, specification_of(figure), choice); };
  const matching_rows = (figure) => specification_of(figure).datasets.rows.map((row) => is_kept(choice, row)).join();
  on_new_width(() => draw_all(figures));
  document.addEventListener('toggle', ({target}) => { if (target.open) draw_all(figures.filter((figure) => target.contains(figure))); }, true);
  offer_variants((figure) => draw_all([figure]));
  offer_all(specification_of, (figure) => draw_all([figure]));
  offer_processes(specification_of, (figure) => draw_all([figure]));
  draw_all(figures);
  let drawn_in = null;
  return {
    // The figure that draws `benchmark`: the first of `section`, otherwise of the page; undefined: none.
    figure_of(benchmark, section) {
      drawn_in ??= by_benchmark(figures, specification_of);
      const found = drawn_in.get(benchmark) ?? [];
      return found.find((figure) => section?.contains(figure)) ?? found[0];
    },
    // Draws the lines of these columns of the atlas, where a chart has a choice; null: as the report was made.
    choose(columns) {
      if (columns === null && choice.columns === null) return;
      choice.columns = columns;
      draw_all(figures.filter((figure) => specification_of(figure).usermeta?.lines));
    },
    // Redraws the charts whose rows change under the filter `matcher`(benchmarks, verdict). Resolves when they are drawn.
    filter(matcher) {
      const before = figures.map(matching_rows);
      choice.matches = matcher;
      return draw_all(figures.filter((figure, at) => matching_rows(figure) !== before[at]));
    },
  };
};
return start_charts();
})();
(() => {
// Filters every row and chart of benchmarks. The filter is in the address (address.js): #section?family=&verdict=&text=.
'use strict';
const kFields = ['text', 'family', 'verdict'];

const rows_of_benchmarks = () => [...document.querySelectorAll('tr[data-benchmark]')].map((row) => ({
  row, table: row.closest('.table'), benchmarks: row.dataset.benchmark.split(' '), verdict: row.dataset.verdict ?? '',
}));

const add_options = (form, field, all) => {
  const values = [...new Set(all)].filter((value) => value !== ''), select = form.elements[field];
  for (const value of values) select.add(new Option(value, value));
  select.parentElement.hidden = values.length < 2;
};

// The target of an address must appear below the filter, whatever the filter's height.
const keep_bar_height = (form) => {
  const update = () => {
    const height = getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
    document.documentElement.style.setProperty('--bar', `${height}px`);
  };
  new ResizeObserver(update).observe(form);
  update();
};

// By benchmark, its verdicts in all tables.
const verdicts_by_benchmark = (rows) => {
  const verdicts_of = new Map();
  for (const {benchmarks, verdict} of rows)
    for (const name of benchmarks) verdicts_of.set(name, (verdicts_of.get(name) ?? new Set()).add(verdict));
  return verdicts_of;
};

// A row without a verdict, such as a time, matches by the verdicts that its benchmark has in other tables.
const matcher = ({text, family, verdict}, verdicts_of) => (benchmarks, own) =>
  (!verdict || !own || own === verdict) &&
  benchmarks.some((name) => name.toLowerCase().includes(text.toLowerCase()) && (!family || name.startsWith(`${family}/`)) &&
    (!verdict || own === verdict || verdicts_of.get(name)?.has(verdict)));

const describe = ({text, family, verdict}) => [
  text && `name “${text}”`, family && `family ${family}`, verdict && `verdict ${verdict}`,
].filter(Boolean).join(', ');

const status_of = (description, shown, all) => description === '' ? '' :
  shown === 0 ? `No benchmark matches ${description}. Clear the filter to see all benchmarks.` :
  `Filtered by ${description}: ${shown} of ${all} rows are shown.`;

const note_of = (table) => {
  if (table.nextElementSibling?.className !== 'nothing')
    table.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No row of this table matches the filter.</p>');
  return table.nextElementSibling;
};

// Returns the number of shown rows.
const show_rows = (rows, matches) => {
  const left = new Map();  // number of shown rows by table
  for (const {row, table, benchmarks, verdict} of rows) {
    row.hidden = !matches(benchmarks, verdict);
    left.set(table, (left.get(table) ?? 0) + !row.hidden);
  }
  for (const [table, count] of left) {
    table.hidden = count === 0;
    note_of(table).hidden = count > 0;
  }
  return [...left.values()].reduce((sum, count) => sum + count, 0);
};

const show_status = (form, description, shown, all) => {
  const status = document.getElementById('filter-status');
  form.elements.clear.hidden = description === '';
  status.classList.toggle('none', shown === 0);
  status.textContent = status_of(description, shown, all);
};

const read_form = (form) => Object.fromEntries(kFields.map((field) => [field, form.elements[field].value.trim()]));
const fill_form = (form, filter) => {
  for (const field of kFields) {
    const input = form.elements[field];
    // A value that this page does not have is added: it matches nothing, and the status says so.
    if (input.options && filter[field] && ![...input.options].some(({value}) => value === filter[field]))
      input.add(new Option(filter[field], filter[field]));
    input.value = filter[field];
  }
};

const listen_to_form = (form, apply) => {
  let waiting = 0;
  const from_form = () => {
    page_address.set(read_form(form));
    clearTimeout(waiting);
    waiting = setTimeout(() => apply(read_form(form)), 120);
  };
  form.addEventListener('input', from_form);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => { setTimeout(() => { from_form(); form.elements.text.focus(); }); });
};

// A section whose rows and figures are all filtered out is hidden with its headings and its links in the contents.
const show_sections = () => {
  for (const section of document.querySelectorAll('main section')) {
    const left = section.querySelector('.table:not([hidden]), figure:not([hidden]), .matrix');
    section.hidden = left === null && section.querySelector('.table[hidden], figure[hidden]') !== null;
    for (const link of document.querySelectorAll(`nav a[href="#${CSS.escape(section.id)}"]`)) link.parentElement.hidden = section.hidden;
  }
};

const start_filter = () => {
  const form = document.getElementById('filter'), rows = rows_of_benchmarks();
  if (rows.length === 0) return;
  add_options(form, 'family', rows.flatMap(({benchmarks}) => benchmarks.map((name) => name.split('/')[0])));
  add_options(form, 'verdict', rows.map(({verdict}) => verdict));
  form.hidden = false;
  keep_bar_height(form);
  const verdicts_of = verdicts_by_benchmark(rows);
  const apply = async (filter) => {
    const matches = matcher(filter, verdicts_of);
    show_status(form, describe(filter), show_rows(rows, matches), rows.length);
    show_sections();
    await charts.filter(matches);
    show_sections();
  };
  listen_to_form(form, apply);
  page_address.listen(({values}) => {
    const filter = Object.fromEntries(kFields.map((field) => [field, values[field] ?? '']));
    fill_form(form, filter);
    return apply(filter);
  });
};
start_filter();
})();
(() => {
// Fills each matrix: a table of queries by columns that renders only the cells in its window. Data: atlas_matrix.cpp.
'use strict';
const kRow = 44, kCell = 118;  // pixels
const kBeyond = 4;  // rows and columns rendered outside of the window, for a quick scroll
const kSizes = {'': [0, Infinity], 'up to 16 texels': [0, 16], '17 to 256 texels': [17, 256], 'over 256 texels': [257, Infinity]};
const grouped = new Intl.NumberFormat('en-US');

const element = (className, role, text = '') => {
  const made = make('div', {className, textContent: text});
  made.setAttribute('role', role);
  return made;
};

const rows_of = ({blocks}) => blocks.flatMap((block, at) =>
  block.rows.map((query, row) => ({query, row, block: at, format: block.format, extent: block.extents[row]})));

// The answer to row `row` of column `column`: {size, alignment}, {refused: why}, or null if it was not asked.
const answer = ({blocks}, column, {block, row}) => {
  const table = column.tables[block];
  if (table === null) return null;
  const [size, alignment] = blocks[block].tables[table].slice(2 * row, 2 * row + 2);
  if (size === null) return null;
  return size < 0 ? {refused: blocks[block].refusals[-1 - size]} : {size, alignment};
};

const shown_rows = (rows, {text, format, size}) => {
  const [least, most] = kSizes[size] ?? kSizes[''];
  const words = text.toLowerCase().split(/\s+/);
  return rows.filter((row) => words.every((word) => row.query.toLowerCase().includes(word)) && (!format || row.format === format) &&
    (!size || (row.extent !== null && row.extent >= least && row.extent <= most)));
};
// A chip or a driver that a query names, with or without spaces, chooses its columns: "128x16 Navi 10". The words left are
// of the row.
const loose = (name) => [...name.replace(/[\s_-]/g, '')].map((one) => one.replace(/\W/, '\\$&')).join('[\\s_-]*');
const named_in = (text, names) => names.filter((name) => name !== '').sort((a, b) => b.length - a.length)
  .map((name) => [name, new RegExp(`(?<=^|\\s)${loose(name)}(?=\\s|$)`, 'i')]).find(([, pattern]) => pattern.test(text)) ?? [''];
const understood = (filter, members) => {
  let {text, ...rest} = filter;
  for (const field of ['chip', 'driver']) {
    const [name, pattern] = rest[field] ? [''] : named_in(text, members.map((member) => member[field]));
    if (!name) continue;
    rest[field] = name;
    text = text.replace(pattern, ' ');
  }
  return {...rest, text: text.trim()};
};
const matches = (member, {driver, chip}) => (!driver || member.driver === driver) && (!chip || member.chip === chip);
const shown_columns = (columns, filter) => columns.filter(({members}) => members.some((member) => matches(member, filter)));

const unique = (values) => [...new Set(values)].filter((value) => value !== '').sort();
const from_to = (start, length, step, count) => [
  Math.max(0, Math.floor(start / step) - kBeyond), Math.min(count, Math.ceil((start + length) / step) + kBeyond)];

// What a cell shows of an answer.
const fill_cell = (made, found) => {
  if (found?.refused !== undefined) {
    made.textContent = 'refused';
    made.title = found.refused;
    made.classList.add('refused');
  } else if (found) {
    made.textContent = grouped.format(found.size);
    made.append(make('small', {textContent: `at ${grouped.format(found.alignment)}`}));
  }
};

// The size, and the kind of image or buffer.
const words_of = (query) => /^(\S+ bytes?|\S+),? ?(.*)$/.exec(query).slice(1);
// The kind is below the size, and may be cut.
const name_of_row = (query) => {
  const [size, kind] = words_of(query);
  const made = element('matrix-name', 'rowheader', size);
  made.append(make('small', {textContent: kind}));
  made.title = query;
  return made;
};

const fields_of = (form) => Object.fromEntries(['text', 'driver', 'chip', 'format', 'size'].map((field) => [field, form.elements[field].value.trim()]));
const status_of = (rows, all_rows, members, all_members) => rows === 0 || members === 0 ? 'No answer matches. Clear the filter to see all.' :
  `${rows} of ${all_rows} queries; ${members} of ${all_members} driver columns, those with equal answers in one.`;

class Matrix {
  constructor(place, data) {
    this.place = place;
    this.data = data;
    this.rows = rows_of(data);
    this.members = data.columns.flatMap((column) => column.members);
    this.form = place.querySelector('form');
    this.view = place.querySelector('.matrix-window');
    this.head = element('matrix-head', 'row');
    this.body = element('matrix-body', 'rowgroup');
    this.left = [];
    this.across = [];
    this.drawn = '';
  }

  start() {
    this.offer();
    this.view.replaceChildren(this.head, this.body);
    this.form.addEventListener('input', () => this.apply());
    this.form.addEventListener('submit', (event) => event.preventDefault());
    this.form.addEventListener('reset', () => setTimeout(() => this.apply()));
    this.view.addEventListener('scroll', () => requestAnimationFrame(() => this.render()));
    new ResizeObserver(() => { this.drawn = ''; this.render(); }).observe(this.view);
    this.form.hidden = false;
    this.place.querySelector('.matrix-static').hidden = true;
    this.view.hidden = false;
    this.apply();
  }

  offer() {
    const add = (field, values) => { for (const value of values) this.form.elements[field].add(new Option(value, value)); };
    add('driver', unique(this.members.map(({driver}) => driver)));
    add('chip', unique(this.members.map(({chip}) => chip)));
    add('format', unique(this.data.blocks.map(({format}) => format)));
    add('size', Object.keys(kSizes).filter((size) => size !== ''));
  }

  // The width in pixels of the rows' names.
  first() { return parseFloat(getComputedStyle(this.view).getPropertyValue('--first')); }

  placed(made, at) {
    made.style.left = `${this.first() + at * kCell}px`;
    made.setAttribute('aria-colindex', at + 2);
    return made;
  }
  column_head({label, members}, at) {
    const made = this.placed(element('matrix-cell', 'columnheader', label), at);
    made.title = members.map(({name}) => name).join('\n');
    return made;
  }
  cell(column, row, at) {
    const made = this.placed(element('matrix-cell', 'cell'), at);
    fill_cell(made, answer(this.data, column, row));
    return made;
  }
  line(row, at, start, end) {
    const line = element('matrix-row', 'row');
    line.style.top = `${at * kRow}px`;
    line.setAttribute('aria-rowindex', at + 2);
    line.append(name_of_row(row.query));
    for (let i = start; i < end; ++i) line.append(this.cell(this.across[i], row, i));
    return line;
  }

  render() {
    const {view, left, across} = this;
    const [top, bottom] = from_to(view.scrollTop, view.clientHeight, kRow, left.length);
    const [start, end] = from_to(view.scrollLeft, view.clientWidth, kCell, across.length);
    const now = [top, bottom, start, end].join();
    if (now === this.drawn) return;
    this.drawn = now;
    this.head.replaceChildren(element('matrix-name', 'columnheader', 'Query: bytes at alignment'),
      ...across.slice(start, end).map((column, at) => this.column_head(column, start + at)));
    this.body.replaceChildren(...left.slice(top, bottom).map((row, at) => this.line(row, top + at, start, end)));
  }

  resize() {
    const {view, left, across} = this;
    this.head.style.width = this.body.style.width = `${this.first() + across.length * kCell}px`;
    this.body.style.height = `${left.length * kRow}px`;
    view.setAttribute('aria-rowcount', left.length + 1);
    view.setAttribute('aria-colcount', across.length + 1);
    view.hidden = left.length === 0 || across.length === 0;
  }

  apply() {
    const given = fields_of(this.form), filter = understood(given, this.members);
    this.left = shown_rows(this.rows, filter);
    this.across = shown_columns(this.data.columns, filter);
    const members = this.across.flatMap((column) => column.members).filter((member) => matches(member, filter));
    this.resize();
    this.place.querySelector('.matrix-status').textContent = status_of(this.left.length, this.rows.length, members.length, this.members.length);
    this.form.elements.clear.hidden = Object.values(given).every((value) => value === '');
    this.drawn = '';
    this.view.scrollTop = this.view.scrollLeft = 0;
    this.render();
    charts.choose(filter.driver !== '' || filter.chip !== '' ? new Set(members.map(({index}) => index)) : null);
  }
}

const start_matrices = () => {
  const all = JSON.parse(document.getElementById('matrices').textContent);
  for (const place of document.querySelectorAll('.matrix')) new Matrix(place, all[place.dataset.matrix]).start();
};
start_matrices();
})();
(() => {
// Sorts, filters and exports a table, chooses its columns, and links its rows. What it shows is in the address:
// #table-<name>?<name>.sort=-<column>&<name>.columns=<column>,<column>&<name>.<column>=<filter>. A column is its title in
// small letters. Without scripts, a table has the order of the report and all of its columns.
'use strict';
const kLeastRows = 4;  // a smaller table is read at once
const kChoices = 12;   // of fewer different texts, a filter offers each
const kUnits = {
  ns: 1, µs: 1e3, μs: 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12,
  B: 1, bytes: 1, byte: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9,
};
const kNumber = /^[[(≈~]?\s*([-−+]?)(\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)\s*([a-zA-Zµμ]+|[%×])?/;

// The number that a text begins with, in ns or bytes if it has such a unit; a date as its digits; otherwise NaN.
const value_of = (text) => {
  const date = /^(\d{4})-(\d\d)-(\d\d)/.exec(text);
  if (date) return Number(date.slice(1).join(''));
  const found = kNumber.exec(text);
  if (!found) return NaN;
  const [, sign, digits, unit] = found;
  return (sign === '-' || sign === '−' ? -1 : 1) * Number(digits.replaceAll(',', '')) * (kUnits[unit] ?? 1);
};
const is_quantity = (text) => kNumber.exec(text)?.[0].length === text.length;

// Keys of columns, unique in their table and the same in the next report.
const keys_of = (titles) => {
  const taken = new Set(['sort', 'columns']), keys = [];
  for (const title of titles) {
    const key = title.toLowerCase().replace(/[^a-z0-9_]+/g, '-').replace(/^-|-$/g, '') || 'column';
    let unique = key;
    for (let i = 2; taken.has(unique); ++i) unique = `${key}-${i}`;
    taken.add(unique);
    keys.push(unique);
  }
  return keys;
};

// Negative if the row `a` comes first. Cells without text, and those without a number in a column of numbers, are last in
// either direction.
const comparer = (at, is_number, direction, collate) => is_number ?
  (a, b) => {
    const x = a.values[at], y = b.values[at];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || (a.texts[at] === '') - (b.texts[at] === '');
    return direction * (x - y);
  } :
  (a, b) => {
    const x = a.texts[at], y = b.texts[at];
    if (x === '' || y === '') return (x === '') - (y === '');
    return direction * collate(x, y);
  };

// What a filter of a column keeps: "text" (in it, in any case), "=text" (all of it), "!text", "<5", ">= 2 ms", "1..3".
const kept_by = (query) => {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return () => true;
  if (wanted[0] === '!') {
    const rest = kept_by(wanted.slice(1));
    return wanted.length === 1 ? () => true : (text, value) => !rest(text, value);
  }
  const [, sign, limit] = /^(<=|>=|<|>|≤|≥)\s*(.*)$/.exec(query.trim()) ?? [];
  if (sign && !Number.isNaN(value_of(limit))) {
    const bound = value_of(limit);
    if (sign === '<') return (text, value) => value < bound;
    if (sign === '>') return (text, value) => value > bound;
    return sign === '<=' || sign === '≤' ? (text, value) => value <= bound : (text, value) => value >= bound;
  }
  const [low, high] = query.split('..').map((part) => value_of(part.trim()));
  if (query.split('..').length === 2 && !Number.isNaN(low) && !Number.isNaN(high)) return (text, value) => value >= low && value <= high;
  if (wanted[0] === '=') return (text) => text.toLowerCase() === wanted.slice(1).trim();
  return (text) => text.toLowerCase().includes(wanted);
};

// {sort: '', a key, or '-' and a key; shown: the keys of the shown columns, null: as the page chooses; filters: by key}
const kAsReported = {sort: '', shown: null, filters: {}};
const state_of = (values, name, keys) => {
  const value = (what) => values[`${name}.${what}`] ?? '';
  const sort = value('sort'), shown = value('columns').split(',').filter((key) => keys.includes(key));
  return {
    sort: keys.includes(sort.replace(/^-/, '')) ? sort : '', shown: shown.length > 0 ? shown : null,
    filters: Object.fromEntries(keys.map((key) => [key, value(key)]).filter(([, query]) => query !== '')),
  };
};
const values_of = ({sort, shown, filters}, name, keys) => Object.fromEntries([
  ['sort', sort], ['columns', shown === null ? '' : shown.join(',')], ...keys.map((key) => [key, filters[key] ?? '']),
].map(([what, value]) => [`${name}.${what}`, value]));

// What the reader has chosen, for the line above the table; '' if nothing.
const sentence_of = ({sort, filters}, columns, left, all) => {
  const title_of = (key) => columns.find((column) => column.key === key).title;
  const by = sort === '' ? '' : `Sorted by ${title_of(sort.replace(/^-/, ''))}, ${sort[0] === '-' ? 'largest' : 'smallest'} first.`;
  const set = Object.entries(filters).map(([key, query]) => `${title_of(key)} “${query}”`).join(' and ');
  return [by, set === '' ? '' : `${left} of ${all} rows match ${set}.`].filter(Boolean).join(' ');
};

// Rows of texts, the first the titles.
const csv_of = (rows) => rows.map((row) =>
  row.map((text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text).join(',')).join('\r\n') + '\r\n';
const markdown_of = ([titles, ...rows], are_numbers) => {
  const line = (row) => `| ${row.map((text) => text.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s*\n\s*/g, ' ')).join(' | ')} |\n`;
  return line(titles) + `|${titles.map((title, at) => are_numbers[at] ? ' ---: |' : ' --- |').join('')}\n` + rows.map(line).join('');
};

// The text that a cell shows when its details are folded.
const text_of = (cell) => [...cell.childNodes].filter((node) => !(node.matches?.('details, .row-anchor'))).map(({textContent}) => textContent)
  .join('').replace(/[\s\u2007\u2008]+/g, ' ').trim();

class TableView {
  constructor(place) {
    this.place = place;
    this.name = place.id.replace(/^table-/, '');
    this.title = document.getElementById(`${place.id}-title`).textContent;
    this.scroll = place.querySelector('.scroll');
    this.table = place.querySelector('table');
    this.headings = [...this.table.tHead.rows[0].cells];
    const titles = this.headings.map(text_of), keys = keys_of(titles), head = this.table.querySelector('[scope=row]').cellIndex;
    this.keys = keys;
    this.columns = this.headings.map((heading, at) => ({
      key: keys[at], title: titles[at], is_number: heading.classList.contains('number'), is_detail: 'detail' in heading.dataset,
      stays: at === 0 || at === head,
    }));
    this.groups = null;
    this.state = kAsReported;
    this.narrow = false;  // without its details: it is wider than its place
    this.sheet = null;
  }

  get row_count() { return this.table.querySelectorAll('tbody tr:not(.group)').length; }

  // The texts of all cells, read when they are first needed.
  read() {
    if (this.groups) return;
    this.groups = [...this.table.tBodies].map((body) => ({
      body, title: body.querySelector('.group')?.textContent ?? '',
      rows: [...body.rows].filter((row) => !row.classList.contains('group')).map((row) => {
        const texts = [...row.cells].map(text_of);
        return {row, texts, values: texts.map(value_of)};
      }),
    }));
    this.rows = this.groups.flatMap(({rows}) => rows);
    this.columns.forEach((column, at) => {
      const texts = this.rows.map((row) => row.texts[at]).filter((text) => text !== '');
      column.is_number ||= texts.length > 0 && texts.every(is_quantity);
    });
  }

  start() {
    this.button = make('button', {type: 'button', className: 'table-button'});
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.menu = make('div', {className: 'table-menu', id: `menu-${this.name}`, popover: 'auto'});
    this.menu.setAttribute('role', 'dialog');
    this.menu.setAttribute('aria-label', `Table: ${this.title}`);
    this.button.setAttribute('popovertarget', this.menu.id);
    this.menu.addEventListener('beforetoggle', ({newState}) => { if (newState === 'open') this.fill_menu(); });
    this.menu.addEventListener('toggle', ({newState}) => { if (newState === 'open') this.place_menu(); });
    this.menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();  // a search field would only be emptied
      this.menu.hidePopover();
      this.button.focus();
    });
    this.status = make('span', {className: 'table-status'});
    this.status.setAttribute('role', 'status');
    this.clear = make('button', {type: 'button', className: 'table-clear', textContent: 'Reset', hidden: true, onclick: () => {
      this.change(kAsReported);
      this.button.focus();
    }});
    this.place.querySelector('.caption').append(this.button, this.menu);
    this.scroll.before(make('p', {className: 'table-line'}, this.status, this.clear));
    this.headings.forEach((heading, at) => {
      const button = make('button', {type: 'button', className: 'sort', onclick: () => this.press(at)}, ...heading.childNodes);
      heading.append(button);
    });
    this.show_columns();
  }

  // Once: ascending, twice: descending, three times: the order of the report.
  press(at) {
    const {key} = this.columns[at], {sort} = this.state;
    this.change({...this.state, sort: sort === key ? `-${key}` : sort === `-${key}` ? '' : key});
  }

  change(state) {
    this.apply(state);
    const here = document.getElementById(page_address.now().id), inside = here && this.place.contains(here);
    page_address.set(values_of(state, this.name, this.keys), inside ? here.id : this.place.id);
  }

  apply(state) {
    const before = this.state;
    this.state = state;
    if (state.sort !== before.sort) this.sort();
    if (JSON.stringify(state.filters) !== JSON.stringify(before.filters)) this.filter();
    if (state.shown?.join() !== before.shown?.join()) {
      this.show_columns();
      fit_all([this]);
    }
    this.say();
  }

  sort() {
    this.read();
    const {sort} = this.state, down = sort[0] === '-', at = this.keys.indexOf(sort.replace(/^-/, ''));
    const order = at < 0 ? null : comparer(at, this.columns[at].is_number, down ? -1 : 1, new Intl.Collator('en', {numeric: true}).compare);
    for (const {body, rows} of this.groups) body.append(...(order ? rows.toSorted(order) : rows).map(({row}) => row));
    this.headings.forEach((heading, i) => {
      if (i === at) heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else heading.removeAttribute('aria-sort');
    });
  }

  filter() {
    this.read();
    const tests = Object.entries(this.state.filters).map(([key, query]) => [this.keys.indexOf(key), kept_by(query)]);
    this.left = 0;
    for (const {row, texts, values} of this.rows) {
      const kept = tests.every(([at, test]) => test(texts[at], values[at]));
      row.classList.toggle('out', !kept);
      this.left += kept;
    }
  }

  is_shown(column) {
    if (column.stays) return true;
    return this.state.shown ? this.state.shown.includes(column.key) : !(this.narrow && column.is_detail);
  }

  show_columns() {
    const hidden = this.columns.flatMap((column, at) => this.is_shown(column) ? [] : [at + 1]);
    const left = this.columns.length - hidden.length, id = CSS.escape(this.place.id);
    if (this.table.classList.contains('two-lines')) this.table.style.setProperty('--columns', left - this.is_shown(this.columns.at(-1)));
    if (hidden.length > 0 && !this.sheet) {
      this.sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
    }
    this.sheet?.replaceSync(hidden.map((at) => `#${id} tr:not(.group) > :nth-child(${at}) { display: none; }`).join('\n'));
    for (const heading of this.table.querySelectorAll('tr.group th')) heading.colSpan = left;
    if (!this.button) return;
    const part = hidden.length === 0 ? '' : `, ${left} of ${this.columns.length} columns`;
    this.button.textContent = `Table${part}`;
    this.button.setAttribute('aria-label', `Table${part}: menu of “${this.title}”`);
  }

  say(done = '') {
    const said = sentence_of(this.state, this.columns, this.left, this.rows?.length ?? 0);
    this.status.textContent = [said, done].filter(Boolean).join(' ');
    this.clear.hidden = said === '' && this.state.shown === null;
  }

  fill_menu() {
    this.read();
    const order = make('select', {onchange: () => this.change({...this.state, sort: order.value})});
    order.add(new Option('the order of the report', ''));
    for (const {key, title} of this.columns) {
      order.add(new Option(`${title}, smallest first`, key));
      order.add(new Option(`${title}, largest first`, `-${key}`));
    }
    order.value = this.state.sort;
    const lines = this.columns.map((column, at) => this.column_line(column, at));
    const action = (text, then) => make('button', {type: 'button', textContent: text, onclick: then});
    this.says = make('p', {className: 'table-says'});
    this.says.setAttribute('role', 'status');
    this.menu.replaceChildren(
      make('label', {className: 'table-order'}, 'Sort by ', order),
      make('fieldset', {}, make('legend', {textContent: 'Columns, and a filter for each'}), ...lines),
      make('p', {textContent: 'Filters: text, =whole text, !not this, <5, >=2 ms, 1..3'}),
      make('div', {className: 'table-actions'},
        action('Copy as CSV', () => this.copy('CSV')), action('Copy as Markdown', () => this.copy('Markdown')),
        action('Save CSV', () => this.save()),
        action('Reset', () => { this.change(kAsReported); this.fill_menu(); this.menu.querySelector('select').focus(); })),
      this.says);
  }

  column_line(column, at) {
    const box = make('input', {type: 'checkbox', checked: this.is_shown(column), disabled: column.stays, onchange: () => {
      this.choose(column, box.checked);
    }});
    const query = make('input', {type: 'search', value: this.state.filters[column.key] ?? '', autocomplete: 'off', spellcheck: false});
    query.setAttribute('aria-label', `Filter ${column.title}`);
    query.placeholder = column.is_number ? 'such as <100' : 'text';
    let waiting = 0;
    query.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.narrow_by(column, query.value.trim()), 100);
    });
    const line = make('div', {className: 'table-column'}, make('label', {}, box, ` ${column.title}`), query);
    const texts = [...new Set(this.rows.map(({texts}) => texts[at]))].filter((text) => text !== '').sort();
    if (!column.is_number && texts.length < kChoices && texts.every((text) => text.length < 60)) {
      const list = make('datalist', {id: `${this.menu.id}-${column.key}`}, ...texts.map((text) => new Option(text, text)));
      query.setAttribute('list', list.id);
      line.append(list);
    }
    return line;
  }

  choose(column, shown) {
    const keys = this.columns.filter((one) => one === column ? shown : this.is_shown(one)).map(({key}) => key);
    const by_default = this.columns.filter((one) => one.stays || !(this.narrow && one.is_detail)).map(({key}) => key);
    this.change({...this.state, shown: keys.join() === by_default.join() ? null : keys});
  }

  narrow_by(column, query) {
    const {[column.key]: gone, ...others} = this.state.filters;
    this.change({...this.state, filters: query === '' ? others : {...others, [column.key]: query}});
    this.says.textContent = `${this.left} of ${this.rows.length} rows match.`;
  }

  // Below its button, within the window. It scrolls with the page.
  place_menu() {
    const {style} = this.menu, button = this.button.getBoundingClientRect(), width = document.documentElement.clientWidth;
    style.left = `${window.scrollX + Math.max(8, Math.min(button.left, width - this.menu.offsetWidth - 8))}px`;
    style.top = `${window.scrollY + button.bottom + 4}px`;
    this.menu.querySelector('select').focus({preventScroll: true});
    this.menu.scrollIntoView({block: 'nearest', behavior: 'instant'});
  }

  // What is shown, in this order; the heading of a group is a column.
  shown_rows() {
    this.read();
    const columns = this.columns.map((column, at) => ({...column, at})).filter((column) => this.is_shown(column));
    const grouped = this.groups.some(({title}) => title !== ''), by_row = new Map(this.rows.map((one) => [one.row, one]));
    const rows = this.groups.flatMap(({body, title}) => [...body.rows].map((row) => by_row.get(row))
      .filter((one) => one && !one.row.hidden && !one.row.classList.contains('out'))
      .map(({texts}) => [...(grouped ? [title] : []), ...columns.map(({at}) => texts[at])]));
    return {
      rows: [[...(grouped ? ['Group'] : []), ...columns.map(({title}) => title)], ...rows],
      are_numbers: [...(grouped ? [false] : []), ...columns.map(({is_number}) => is_number)],
    };
  }

  async copy(format) {
    const {rows, are_numbers} = this.shown_rows();
    const copied = await copy_text(format === 'CSV' ? csv_of(rows) : markdown_of(rows, are_numbers), this.menu);
    this.says.textContent = copied ? `Copied as ${format}: ${rows.length - 1} rows, ${rows[0].length} columns.` : 'The browser does not allow to copy.';
  }

  save() {
    const {rows} = this.shown_rows(), address = URL.createObjectURL(new Blob([csv_of(rows)], {type: 'text/csv'}));
    make('a', {href: address, download: `${this.name}.csv`}).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    this.says.textContent = `Saved ${this.name}.csv: ${rows.length - 1} rows, ${rows[0].length} columns.`;
  }
}

// A page from disk may lack the clipboard: then the browser copies what is selected.
const copy_text = async (text, inside) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea', {value: text}), before = document.activeElement;
    inside.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    before?.focus();
    return copied;
  }
};

// A table that fits scrolls with the page, its headings stay below the page's bar. A wider one scrolls by itself, and
// first leaves out its details. Widths of all tables are read before any is changed.
const fit_all = (views) => {
  for (const view of views) {
    view.was_narrow = view.narrow;
    view.narrow = false;
    if (view.was_narrow) view.show_columns();
  }
  const is_wide = ({table, scroll}) => Math.max(table.offsetWidth, table.scrollWidth) > scroll.clientWidth + 1;
  const wide = views.filter((view) => is_wide(view));
  for (const view of wide) {
    view.narrow = view.state.shown === null && view.columns.some(({is_detail}) => is_detail);
    if (view.narrow) view.show_columns();
  }
  const still = new Set(wide.filter((view) => is_wide(view)));
  for (const view of views) {
    view.scroll.classList.toggle('wide', still.has(view));
    if (still.has(view)) view.scroll.tabIndex = 0; else view.scroll.removeAttribute('tabindex');
  }
};

// A row's anchor, and the link of a benchmark's row to its plot. Tab reaches one of a table, the arrow keys the others.
const link_row = (row, section) => {
  const head = row.querySelector('[scope=row]'), benchmark = row.dataset.benchmark ?? '';
  const figure = benchmark === '' || benchmark.includes(' ') ? undefined : charts.figure_of(benchmark, section);
  const anchor = make('a', {className: 'anchor row-anchor', href: `#${row.id}`, textContent: '#', tabIndex: -1});
  anchor.setAttribute('aria-label', `Link to the row ${text_of(head)}`);
  const content = [...head.childNodes].filter((node) => !node.matches?.('details'));
  if (figure && !head.querySelector('a'))
    head.prepend(make('a', {className: 'to-plot', href: `#${figure.id}`, title: 'To its plot', tabIndex: -1}, ...content));
  const details = head.querySelector(':scope > details');
  if (details) details.before(anchor); else head.append(anchor);
};
const kRowLinks = '[scope=row] > a';
const link_rows = (place) => {
  const section = place.closest('section');
  for (const row of place.querySelectorAll('tbody tr[id]')) link_row(row, section);
  const first = place.querySelector(kRowLinks);
  if (first) first.tabIndex = 0;
};
const move_in_rows = (event) => {
  const link = event.target.closest?.(kRowLinks), row = link?.closest('tr');
  const steps = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key];
  if (!link || !steps || event.ctrlKey || event.altKey || event.metaKey) return;
  const rows = [...row.closest('table').querySelectorAll('tbody tr[id]')].filter((one) => one.getClientRects().length > 0);
  const links_of = (one) => [...one.querySelectorAll(kRowLinks)], [down, right] = steps;
  const next_row = rows[rows.indexOf(row) + down];
  const next = down !== 0 ? next_row && links_of(next_row).at(link.matches('.row-anchor') ? -1 : 0) : links_of(row)[links_of(row).indexOf(link) + right];
  event.preventDefault();
  if (!next) return;
  link.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

const when_idle = (then) => window.requestIdleCallback ? requestIdleCallback(then) : setTimeout(then, 200);

const start_tables = () => {
  const views = [...document.querySelectorAll('.table')].map((place) => new TableView(place));
  const active = views.filter((view) => view.row_count >= kLeastRows), by_scroll = new Map(views.map((view) => [view.scroll, view]));
  for (const view of active) view.start();
  const resized = new ResizeObserver((entries) => {
    const changed = entries.filter(({target, contentRect}) => by_scroll.get(target).width !== contentRect.width);
    for (const {target, contentRect} of changed) by_scroll.get(target).width = contentRect.width;
    fit_all(changed.map(({target}) => by_scroll.get(target)));
  });
  for (const view of views) resized.observe(view.scroll);
  page_address.listen(({id, values}) => {
    const target = document.getElementById(id);
    for (const view of active) {
      view.apply(state_of(values, view.name, view.keys));
      if (target?.matches('tr.out') && view.place.contains(target)) view.change({...view.state, filters: {}});
    }
  });
  document.addEventListener('keydown', move_in_rows);
  document.addEventListener('scroll', ({target}) => { target.classList?.toggle('scrolled', target.scrollLeft > 0); }, {capture: true, passive: true});
  when_idle(() => {
    for (const {place} of views) link_rows(place);
    fit_all(views);  // anchors take room
  });
};
start_tables();
})();
(() => {
// Replays a tree of blocks on a canvas. Each step says which blocks have another state than before it; nothing is computed
// here. Without scripts, and on paper, the still frames below stand alone.
'use strict';
for (const place of document.querySelectorAll('.replay')) {
  const {levels, bytes, leaf, steps} = JSON.parse(document.getElementById('replays').textContent)[place.dataset.replay];
  const kRow = 30, kNames = 64, kGap = 2;
  const kColours = {allocated: '--mark', free: '--h3', split: '--rest'};
  const leaves = bytes / leaf;
  const still = matchMedia('(prefers-reduced-motion: reduce)');

  const canvas = make('canvas', {tabIndex: 0});
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-describedby', `${place.dataset.replay}-step`);
  const says = make('p', {className: 'replay-step', id: `${place.dataset.replay}-step`});
  says.setAttribute('role', 'status');
  const button = (text, label, press) => {
    const made = make('button', {type: 'button', onclick: press}, text);
    made.setAttribute('aria-label', label);
    made.title = label;
    return made;
  };

  let step = 0, timer = 0, blocks = new Map(), changed = [];
  const go = (wanted) => {
    step = Math.min(Math.max(wanted, 0), steps.length - 1);
    blocks = new Map();
    for (const [, changes] of steps.slice(0, step + 1))
      for (const [level, at, state] of changes) {
        if (state) blocks.set(`${level} ${at}`, {level, at, state}); else blocks.delete(`${level} ${at}`);
      }
    changed = step === 0 ? [] : steps[step][1].map(([level, at]) => `${level} ${at}`);
    slider.value = step;
    slider.setAttribute('aria-valuetext', `Step ${step} of ${steps.length - 1}`);
    says.textContent = `Step ${step} of ${steps.length - 1}: ${steps[step][0]}`;
    canvas.setAttribute('aria-label', `${steps[step][0]} ${count('allocated')} allocated and ${count('free')} free blocks.`);
    back.disabled = step === 0;
    forward.disabled = step === steps.length - 1;
    draw();
  };
  const count = (state) => [...blocks.values()].filter((block) => block.state === state).length;

  const draw = () => {
    const css = getComputedStyle(document.documentElement), colour = (name) => css.getPropertyValue(name).trim();
    const width = place.clientWidth, height = levels.length * kRow + 2, ratio = window.devicePixelRatio || 1;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = `12px ${getComputedStyle(place).fontFamily}`;
    pen.textBaseline = 'middle';
    const unit = (width - kNames - 2) / leaves;
    levels.forEach((name, level) => {
      pen.fillStyle = colour('--muted');
      pen.textAlign = 'right';
      pen.fillText(name, kNames - 8, level * kRow + kRow / 2);
    });
    pen.textAlign = 'center';
    for (const [key, {level, at, state}] of blocks) {
      const wide = leaves / 2 ** level * unit, x = kNames + at * unit, y = level * kRow;
      const gap = Math.min(kGap, wide / 6);
      pen.globalAlpha = state === 'split' ? 0.55 : 0.3;
      pen.fillStyle = colour(kColours[state]);
      pen.fillRect(x + gap / 2, y + 2, wide - gap, kRow - 4);
      pen.globalAlpha = 1;
      const is_changed = changed.includes(key);
      pen.strokeStyle = is_changed ? colour('--ink') : colour(kColours[state]);
      pen.lineWidth = is_changed ? 2 : 1;
      pen.strokeRect(x + gap / 2 + 0.5, y + 2.5, wide - gap - 1, kRow - 5);
      pen.fillStyle = colour(state === 'split' ? '--muted' : '--ink');
      const text = [state, state[0].toUpperCase()].find((one) => pen.measureText(one).width < wide - 5);
      if (text) pen.fillText(text, x + wide / 2, y + kRow / 2 + 1);
    }
  };

  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    play.textContent = 'Play';
    play.setAttribute('aria-label', 'Play');
    says.setAttribute('aria-live', 'polite');
  };
  const next = () => {
    go(step + 1);
    if (step === steps.length - 1) pause();
    else timer = setTimeout(next, 700 / Number(speed.value));
  };
  const toggle = () => {
    if (timer) return pause();
    if (step === steps.length - 1) go(0);
    play.textContent = 'Pause';
    play.setAttribute('aria-label', 'Pause');
    says.setAttribute('aria-live', 'off');  // a reader could not follow
    timer = setTimeout(next, still.matches ? 0 : 250);
  };
  const step_by = (by) => { pause(); go(step + by); };

  const play = make('button', {type: 'button', onclick: toggle}, 'Play');
  play.setAttribute('aria-label', 'Play');
  const back = button('◀ Back', 'One step back', () => step_by(-1)), forward = button('Forward ▶', 'One step forward', () => step_by(1));
  const slider = make('input', {type: 'range', min: 0, max: steps.length - 1, step: 1, value: 0, oninput: () => { pause(); go(Number(slider.value)); }});
  slider.setAttribute('aria-label', 'Step');
  const speed = make('select', {}, ...[['0.5', 'half'], ['1', 'normal'], ['2', 'double'], ['4', 'four times'], ['16', 'sixteen times']]
    .map(([value, text]) => new Option(text, value, value === '1', value === (still.matches ? '0.5' : '1'))));
  const controls = make('div', {className: 'replay-controls'}, play, back, forward, slider, make('label', {}, 'Speed ', speed));
  controls.setAttribute('role', 'group');
  controls.setAttribute('aria-label', 'Replay');
  const keys = make('p', {className: 'replay-keys'}, 'With the picture in focus: space plays and pauses, ← and → step, Home and End jump.');
  canvas.addEventListener('keydown', (event) => {
    const press = {' ': toggle, ArrowLeft: () => step_by(-1), ArrowRight: () => step_by(1), Home: () => step_by(-steps.length), End: () => step_by(steps.length)}[event.key];
    if (!press || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press();
  });
  const legend = make('p', {className: 'replay-keys'}, 'A: allocated, F: free, S: split. A strong border marks what the step changed.');
  place.append(controls, canvas, says, legend, keys);
  place.hidden = false;
  new ResizeObserver(draw).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  go(0);
}
})();
(() => {
// Compares two pictures of a figure: one over the other with a line between them, their difference, or side by side. The
// pictures are those that the figure shows above; without scripts, and on paper, these stand alone.
'use strict';
for (const [at, place] of document.querySelectorAll('.compare').entries()) {
  const kFactors = [1, 4, 8, 16];
  const kWidest = 640;  // pixels: smaller pictures are enlarged up to this, by a whole number

  const pictures = [...place.parentElement.querySelectorAll('.compared li')].map((item) => {
    const drawn = item.querySelector('image, use'), {width, height} = item.querySelector('svg').viewBox.baseVal;
    const image = drawn.matches('use') ? document.getElementById(drawn.getAttribute('href').slice(1)) : drawn;
    return {title: item.querySelector('span').textContent, address: image.getAttribute('href'), width, height};
  });

  // Four bytes a pixel, decoded once.
  const pixels_of = (picture) => picture.pixels ??= (async () => {
    const image = new Image();
    image.src = picture.address;
    await image.decode();
    const pen = make('canvas', {width: picture.width, height: picture.height}).getContext('2d', {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, picture.width, picture.height).data;
  })();

  const select = (label, options, value) => make('label', {}, `${label} `,
    make('select', {}, ...options.map(([text, own]) => new Option(text, own, own === value, own === value))));
  const titles = pictures.map(({title}, index) => [title, index]);
  const first = select('A', titles, 0), second = select('B', titles, 1);
  const factor = select('Times', kFactors.map((one) => [String(one), one]), 4);
  const value_of = (label) => Number(label.querySelector('select').value);
  const chosen = () => [first, second].map((label) => pictures[value_of(label)]);

  const views = make('fieldset', {}, make('legend', {}, 'View'));
  for (const [value, text] of [['slider', 'Slider'], ['difference', 'Difference'], ['both', 'Side by side']])
    views.append(make('label', {}, make('input', {type: 'radio', name: `compare-${at}`, value, checked: value === 'slider'}), ` ${text}`));
  const view = () => views.querySelector(':checked').value;

  const controls = make('div', {className: 'compare-controls'}, first, second, views, factor);
  controls.setAttribute('role', 'group');
  controls.setAttribute('aria-label', 'Compare two pictures');
  const names = make('div', {className: 'compare-names'}, make('span'), make('span'));
  // The second one is over the first: to the right of the line, B.
  const images = [make('img', {draggable: false}), make('img', {draggable: false})];
  const line = make('div', {className: 'compare-line'}), canvas = make('canvas');
  canvas.setAttribute('role', 'img');
  const stage = make('div', {className: 'compare-stage'}, ...images, line, canvas);
  const slider = make('input', {className: 'compare-slider', type: 'range', min: 0, max: 100, step: 1, value: 50});
  slider.setAttribute('aria-label', 'Share of the width that shows A');
  const says = make('p', {className: 'compare-says'});
  says.setAttribute('role', 'status');

  const wipe = () => {
    images[1].style.clipPath = view() === 'slider' ? `inset(0 0 0 ${slider.value}%)` : '';
    line.style.left = `${slider.value}%`;
    slider.setAttribute('aria-valuetext', `A ${slider.value} %, B ${100 - slider.value} %`);
  };

  let turn = 0;  // of two overlapping calls, the later one wins
  const show_difference = async () => {
    const own = ++turn, [a, b] = chosen(), times = value_of(factor);
    canvas.hidden = true;
    if (a.width !== b.width || a.height !== b.height) {
      says.textContent = `No difference is drawn: A has ${a.width} x ${a.height} pixels, B has ${b.width} x ${b.height}.`;
      return;
    }
    const [left, right] = await Promise.all([pixels_of(a), pixels_of(b)]);
    if (own !== turn) return;
    const drawn = new ImageData(a.width, a.height), count = a.width * a.height;
    let most = 0, squares = 0, differ = 0;
    for (let pixel = 0; pixel < 4 * count; pixel += 4) {
      let largest = 0;
      for (let channel = pixel; channel < pixel + 3; ++channel) {
        const difference = Math.abs(left[channel] - right[channel]);
        largest = Math.max(largest, difference);
        squares += difference * difference;
        drawn.data[channel] = difference * times;  // at most 255, as the type has it
      }
      drawn.data[pixel + 3] = 255;
      most = Math.max(most, largest);
      differ += largest > 0;
    }
    Object.assign(canvas, {hidden: false, width: a.width, height: a.height});
    canvas.getContext('2d').putImageData(drawn, 0, 0);
    const whole = (number) => number.toLocaleString('en');
    says.textContent = `Largest difference: ${most} of 255 grey levels. Root mean square: ${Math.sqrt(squares / 3 / count).toFixed(3)} ` +
      `grey levels. ${whole(differ)} of ${whole(count)} pixels differ. Black: no difference${times === 1 ? '' : `; drawn ${times} times as bright`}.`;
    canvas.setAttribute('aria-label', `|A - B|. ${says.textContent}`);
    sharpen();
  };

  // Enlarged pixels stay squares; a picture that is shown smaller is smoothed.
  const sharpen = () => {
    const shown = [...place.parentElement.querySelectorAll('.compared svg')].map((svg, index) => [svg, pictures[index]]);
    for (const [element, {width}] of [...shown, ...images.map((image, index) => [image, chosen()[index]]), [canvas, chosen()[0]]])
      element.style.imageRendering = element.clientWidth * window.devicePixelRatio >= width ? 'pixelated' : 'auto';
  };

  const show = () => {
    const [a, b] = chosen(), wanted = view();
    stage.dataset.view = wanted;
    ++turn;
    for (const [index, {title, address}] of [a, b].entries()) {
      images[index].src = address;
      images[index].alt = title;
      names.children[index].textContent = `${'AB'[index]}: ${title}`;
      images[index].hidden = wanted === 'difference';
    }
    const scale = Math.max(1, Math.floor(kWidest / a.width));
    const width = wanted === 'both' ? '100%' : `${a.width * scale + 2}px`;
    for (const element of [stage, slider, names]) element.style.width = width;
    names.classList.toggle('ends', wanted === 'slider');
    line.hidden = slider.hidden = wanted !== 'slider';
    factor.hidden = canvas.hidden = wanted !== 'difference';
    says.textContent = '';
    wipe();
    sharpen();
    if (wanted === 'difference') show_difference();
  };

  const drag = (event) => {
    if (view() !== 'slider' || !stage.hasPointerCapture(event.pointerId)) return;
    const {left, width} = stage.getBoundingClientRect();
    slider.value = Math.round(100 * (event.clientX - left) / width);
    wipe();
  };
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    drag(event);
  });
  stage.addEventListener('pointermove', drag);
  slider.addEventListener('input', wipe);
  controls.addEventListener('change', show);
  place.append(controls, names, stage, slider, says);
  place.hidden = false;
  new ResizeObserver(sharpen).observe(place);
  show();
}
})();
