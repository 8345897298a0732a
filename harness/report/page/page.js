// make(tag, properties, children...): an element, for all scripts of the page.
'use strict';
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// Draws each figure's chart from the specification in the page. A figure with an SVG shows it until then.
const charts = (() => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const figures = [...document.querySelectorAll('figure[data-chart]')];
  let matches = () => true;
  let chosen = null;  // indices of the atlas's columns whose lines are drawn; null: those that the report chose

  const is_kept = (row) => !row.benchmark || matches([row.benchmark], row.verdict ?? '');

  // Each series keeps its colour and symbol, whichever series remain.
  const fix_series = (spec) => {
    const unique = (field) => [...new Set(spec.datasets.rows.map((row) => row[field]))];
    for (const {data, encoding} of [spec, ...spec.layer ?? []])
      for (const channel of ['color', 'shape', 'stroke'].map((name) => encoding?.[name]))
        if (channel?.type === 'nominal' && !channel.scale?.domain && (data?.name ?? 'rows') === 'rows') {
          channel.scale = {...channel.scale, domain: unique(channel.field)};
          if (channel.legend === null) delete channel.legend;  // one null would remove the legends of all channels with this domain
        }
  };

  // The rows of the first lines with a chosen column.
  const chosen_rows = ({most, points, lines}) =>
    lines.filter(({columns}) => columns.some((column) => chosen.has(column))).slice(0, most)
      .flatMap(({driver, values}, order) => values.flatMap((value, at) =>
        value === null ? [] : [{...points[at], driver, order, value}]));

  // The variant that the figure's select chooses; another one if the filter leaves no row of it.
  const variant_of = (figure, {datasets, usermeta}) => {
    const select = figure.querySelector('.variant select');
    const left = new Set(datasets.rows.filter(is_kept).map(({variant}) => variant));
    for (const option of select.options) option.disabled = !left.has(option.value);
    if (left.size > 0 && !left.has(select.value)) select.value = usermeta.variants.find((one) => left.has(one));
    return select.value;
  };

  // The rows of the chart before the filter.
  const all_rows = (figure) => {
    const {datasets, usermeta} = specifications[figure.dataset.chart];
    if (usermeta?.lines && chosen) return chosen_rows(usermeta);
    if (!usermeta?.variants) return datasets.rows;
    const drawn = variant_of(figure, {datasets, usermeta});
    return datasets.rows.filter(({variant}) => variant === drawn);
  };

  // The specification with the rows that match the filter; null if there are none.
  const filtered = (figure) => {
    const {usermeta, ...drawn} = specifications[figure.dataset.chart];
    const spec = structuredClone({...drawn, datasets: {...drawn.datasets, rows: all_rows(figure)}});
    if (!spec.datasets.rows.every(is_kept)) fix_series(spec);
    for (const [name, rows] of Object.entries(spec.datasets)) spec.datasets[name] = rows.filter(is_kept);
    return spec.datasets.rows.length === 0 ? null : spec;
  };

  // The title describes all rows, so a filtered chart shows how many are left.
  const show_mark_count = (figure, left, all) => {
    figure.querySelector('.part')?.remove();
    if (left === all) return;
    const note = document.createElement('span');
    note.className = 'part';
    note.textContent = `Filtered: ${left} of ${all} marks are shown; the title describes all.`;
    figure.querySelector('figcaption').append(note);
  };

  const show_choice = (figure, {most, lines}) => {
    figure.querySelector('.part')?.remove();
    const matching = lines.filter(({columns}) => columns.some((column) => chosen.has(column))).length;
    const note = document.createElement('span');
    note.className = 'part';
    note.textContent = `Filtered: ${Math.min(most, matching)} of the ${matching} tables that match are drawn; the title describes all.`;
    figure.querySelector('figcaption').append(note);
  };

  // If the section has no table, which would say that nothing matches, its charts do.
  const show_if_none = (group) => {
    if (group.closest('section').querySelector(':scope > .scroll tr[data-benchmark]')) return;
    if (group.nextElementSibling?.className !== 'nothing')
      group.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No mark of these charts matches the filter.</p>');
    group.nextElementSibling.hidden = [...group.children].some(({hidden}) => !hidden);
  };

  const draw = async (figure) => {
    const turn = figure.turn = (figure.turn ?? 0) + 1;  // of two overlapping calls, the later one wins
    const spec = filtered(figure);
    figure.hidden = spec === null;
    show_if_none(figure.closest('.charts'));
    if (spec === null) return;
    const {usermeta} = specifications[figure.dataset.chart];
    if (usermeta?.lines && chosen) show_choice(figure, usermeta);
    else show_mark_count(figure, spec.datasets.rows.length, all_rows(figure).length);
    const plot = figure.querySelector('.plot');
    fit_to(spec, plot.clientWidth);
    const frame = document.createElement('div');
    frame.className = 'plot';
    for (const name of ['role', 'aria-label']) frame.setAttribute(name, plot.getAttribute(name));
    plot.after(frame);
    try {
      await vegaEmbed(frame, spec, {mode: 'vega-lite', renderer: 'svg', actions: false, tooltip: {theme: 'lab'}, logLevel: vega.Error});
      if (turn === figure.turn) plot.remove(); else frame.remove();
    } catch (error) {
      frame.remove();
      plot.append(`This chart could not be drawn here: ${error.message}. The table contains its figures.`);
    }
  };

  const draw_all = async (some = figures) => { for (const figure of some) await draw(figure); };

  // A rotated phone has another width.
  let width = window.innerWidth, turned = 0;
  window.addEventListener('resize', () => {
    clearTimeout(turned);
    turned = setTimeout(() => {
      if (width === window.innerWidth) return;
      width = window.innerWidth;
      draw_all();
    }, 120);
  });
  for (const label of document.querySelectorAll('figure .variant')) {
    label.hidden = false;
    label.querySelector('select').addEventListener('change', () => draw(label.closest('figure')));
  }
  draw_all();

  const matching_rows = (figure) => specifications[figure.dataset.chart].datasets.rows.map(is_kept).join();
  return {
    // Draws the lines of these columns of the atlas, where a chart has a choice; null: as the report was made.
    choose(columns) {
      if (columns === null && chosen === null) return;
      chosen = columns;
      draw_all(figures.filter((figure) => specifications[figure.dataset.chart].usermeta?.lines));
    },
    // Redraws the charts whose rows change under the filter `matcher`(benchmarks, verdict). Resolves when they are drawn.
    filter(matcher) {
      const before = figures.map(matching_rows);
      matches = matcher;
      return draw_all(figures.filter((figure, at) => matching_rows(figure) !== before[at]));
    },
  };
})();
