// Draws each figure's chart from the specification in the page. Figures that come with a drawing keep it until then.
'use strict';
const charts = (() => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const figures = [...document.querySelectorAll('figure[data-chart]')];
  let keeps = () => true;

  const is_kept = (row) => !row.benchmark || keeps([row.benchmark], row.verdict ?? '');

  // Each series keeps its colour and sign, whichever of them are left.
  const fix_series = (spec) => {
    const unique = (field) => [...new Set(spec.datasets.rows.map((row) => row[field]))];
    for (const {data, encoding} of [spec, ...spec.layer ?? []])
      for (const channel of ['color', 'shape', 'stroke'].map((name) => encoding?.[name]))
        if (channel?.type === 'nominal' && !channel.scale?.domain && (data?.name ?? 'rows') === 'rows') {
          channel.scale = {...channel.scale, domain: unique(channel.field)};
          if (channel.legend === null) delete channel.legend;  // of channels with one domain, it would take all legends away
        }
  };

  // The specification with the rows that the filter leaves; null where it leaves none.
  const filtered = (specification) => {
    const spec = structuredClone(specification);
    if (!spec.datasets.rows.every(is_kept)) fix_series(spec);
    for (const [name, rows] of Object.entries(spec.datasets)) spec.datasets[name] = rows.filter(is_kept);
    return spec.datasets.rows.length === 0 ? null : spec;
  };

  // What a title says is about all rows.
  const say_how_many = (figure, left, all) => {
    figure.querySelector('.part')?.remove();
    if (left === all) return;
    const said = document.createElement('span');
    said.className = 'part';
    said.textContent = `Filtered: ${left} of ${all} marks are shown; the title is about all.`;
    figure.querySelector('figcaption').append(said);
  };

  // Where no table of the section says that nothing matches, its charts do.
  const say_if_none = (group) => {
    if (group.closest('section').querySelector(':scope > .scroll tr[data-benchmark]')) return;
    if (group.nextElementSibling?.className !== 'nothing')
      group.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No mark of these charts matches the filter.</p>');
    group.nextElementSibling.hidden = [...group.children].some(({hidden}) => !hidden);
  };

  const draw = async (figure) => {
    const turn = figure.turn = (figure.turn ?? 0) + 1;  // of two that overlap, the later counts
    const spec = filtered(specifications[figure.dataset.chart]);
    figure.hidden = spec === null;
    say_if_none(figure.closest('.charts'));
    if (spec === null) return;
    say_how_many(figure, spec.datasets.rows.length, specifications[figure.dataset.chart].datasets.rows.length);
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
      plot.append(`This chart could not be drawn here: ${error.message}. The table holds its figures.`);
    }
  };

  const draw_all = async (some = figures) => { for (const figure of some) await draw(figure); };

  // Turning a phone changes what fits.
  let width = window.innerWidth, turned = 0;
  window.addEventListener('resize', () => {
    clearTimeout(turned);
    turned = setTimeout(() => {
      if (width === window.innerWidth) return;
      width = window.innerWidth;
      draw_all();
    }, 120);
  });
  draw_all();

  const rows_kept = (figure) => specifications[figure.dataset.chart].datasets.rows.map(is_kept).join();
  return {
    // Draws again what `keep`(benchmarks, verdict) changes; resolves when it stands.
    keep(keep) {
      const before = figures.map(rows_kept);
      keeps = keep;
      return draw_all(figures.filter((figure, at) => rows_kept(figure) !== before[at]));
    },
  };
})();
