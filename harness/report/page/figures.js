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

// A reader of a live page chooses a range of time (zoom.js), in ms: charts over time have only what is in it. One without
// a row there stays as it is.
const over_time = ({encoding}) => encoding?.x?.type === 'temporal';
const time_of = (value) => new Date(value).getTime();
const within = (row, {x, x2}, [from, to]) => {
  const start = time_of(row[x.field]), end = x2 ? time_of(row[x2.field]) : start;
  if (!(end >= from && start <= to)) return [];
  if (!x2) return [{...row, ...('late' in row ? {late: start > (from + to) / 2} : {})}];
  return [{...row, [x.field]: new Date(Math.max(start, from)).toISOString(), [x2.field]: new Date(Math.min(end, to)).toISOString()}];
};
const zoomed = (spec, range) => {
  if (!range || !over_time(spec)) return spec;
  const datasets = {...spec.datasets, rows: spec.datasets.rows.flatMap((row) => within(row, spec.encoding, range))};
  if (datasets.rows.length === 0) return spec;
  for (const {data, encoding} of spec.layer ?? [])
    if (data && encoding?.x && datasets[data.name] === spec.datasets[data.name])
      datasets[data.name] = spec.datasets[data.name].flatMap((row) => within(row, encoding, range));
  return {
    ...spec, datasets, encoding: {...spec.encoding, x: {...spec.encoding.x, scale: {...spec.encoding.x.scale, domain: range}}},
    ...(spec.layer ? {layer: spec.layer.filter(({data}) => datasets[data?.name]?.length !== 0)} : {}),  // Vega cannot scale the fields of no rows
  };
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
const drawings = new Map();  // by figure: what Vega made, which listens to the window until it is finalized
const embed = async (figure, spec, is_latest) => {
  const plot = figure.querySelector('.plot');
  fit_to(spec, plot.clientWidth);
  const frame = make('div', {className: 'plot'});
  for (const name of ['role', 'aria-label']) frame.setAttribute(name, plot.getAttribute(name));
  plot.after(frame);
  try {
    // Styles are the page's: a live page may have no others.
    const drawn = await vegaEmbed(frame, spec, {
      mode: 'vega-lite', renderer: 'svg', actions: false, ast: true, defaultStyle: false, tooltip: {theme: 'lab', disableDefaultStyle: true},
      logLevel: vega.Error,
    });
    if (life.signal.aborted || !is_latest()) {
      drawn.finalize();
      frame.remove();
      return;
    }
    drawings.get(figure)?.finalize();
    drawings.set(figure, drawn);
    const svg = frame.querySelector('svg');
    svg.setAttribute('class', `marks ${length_on_paper(svg.width.baseVal.value, svg.height.baseVal.value)}`.trim());
    for (const empty of frame.querySelectorAll('g[role]:empty')) empty.removeAttribute('role');  // Vega names a layer without marks, too
    plot.remove();
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
  await embed(figure, with_processes(zoomed(spec, choice.range), specification.usermeta, figure.wants_processes), () => turn === figure.turn);
};

// A rotated phone has another width.
const on_new_width = (then) => {
  let width = window.innerWidth, turned = 0;
  const look = () => {
    if (width === window.innerWidth) return;
    width = window.innerWidth;
    then();
  };
  life.listen(window, 'resize', () => {
    life.cancel(turned);
    turned = life.after(120, look);
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

const start = () => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const specification_of = (figure) => specifications[figure.dataset.chart];
  const figures = [...document.querySelectorAll('figure[data-chart]')], choice = {matches: () => true, columns: null, range: null};
  const draw_all = async (some) => { for (const figure of some) await draw(figure, specification_of(figure), choice); };
  const matching_rows = (figure) => specification_of(figure).datasets.rows.map((row) => is_kept(choice, row)).join();
  on_new_width(() => draw_all(figures));
  life.listen(document, 'toggle', ({target}) => { if (target.open) draw_all(figures.filter((figure) => target.contains(figure))); }, {capture: true});
  life.at_end(() => {
    for (const drawn of drawings.values()) drawn.finalize();
    document.getElementById('vg-tooltip-element')?.remove();
  });
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
    // The figures of charts over time, each with the times of its rows in ms.
    over_time: () => figures.filter((figure) => over_time(specification_of(figure)))
      .map((figure) => ({figure, times: specification_of(figure).datasets.rows.map((row) => time_of(row[specification_of(figure).encoding.x.field]))})),
    // What a figure shows: Vega's view; undefined before it is drawn.
    view_of: (figure) => drawings.get(figure)?.view,
    // Draws charts over time from `range`, [from, to] in ms; null: all of it.
    zoom(range) {
      choice.range = range;
      return draw_all(figures.filter((figure) => over_time(specification_of(figure))));
    },
    // Redraws the charts whose rows change under the filter `matcher`(benchmarks, verdict). Resolves when they are drawn.
    filter(matcher) {
      const before = figures.map(matching_rows);
      choice.matches = matcher;
      return draw_all(figures.filter((figure, at) => matching_rows(figure) !== before[at]));
    },
  };
};
