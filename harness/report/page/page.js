// Draws each figure's chart from the specification in the page. Figures that come with a drawing keep it until then.
'use strict';
(() => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const kNarrow = 520;  // pixels: below, a row's name stands above its marks, not beside them

  const narrow = (specification) => {
    const spec = structuredClone(specification);
    spec.config.legend = {...spec.config.legend, columns: 1};
    const rows = spec.encoding?.y;
    if (rows?.type !== 'nominal') return spec;
    spec.config.axisYBand = {
      labelAlign: 'left', labelBaseline: 'bottom', labelPadding: 0, labelLimit: 400, labelOffset: {expr: "-bandwidth('y') / 2"},
    };
    spec.height = {...spec.height, step: spec.height.step + 16};
    rows.scale = {paddingInner: 16 / spec.height.step + 0.1, paddingOuter: 0.4};
    return spec;
  };

  const draw = async (figure) => {
    const specification = specifications[figure.dataset.chart];
    const plot = figure.querySelector('.plot');
    const spec = plot.clientWidth < kNarrow ? narrow(specification) : structuredClone(specification);
    const frame = document.createElement('div');
    frame.className = 'plot';
    for (const name of ['role', 'aria-label']) frame.setAttribute(name, plot.getAttribute(name));
    plot.after(frame);
    try {
      await vegaEmbed(frame, spec, {mode: 'vega-lite', renderer: 'svg', actions: false, tooltip: {theme: 'lab'}, logLevel: vega.Error});
      plot.remove();
    } catch (error) {
      frame.remove();
      plot.append(`This chart could not be drawn here: ${error.message}. The table holds its figures.`);
    }
  };

  const draw_all = async () => { for (const figure of document.querySelectorAll('figure[data-chart]')) await draw(figure); };

  // Turning a phone changes which of the two layouts fits.
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if ((width < kNarrow) === (window.innerWidth < kNarrow)) return;
    width = window.innerWidth;
    draw_all();
  });
  draw_all();
})();
