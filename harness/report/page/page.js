// Draws each figure's chart from the specification in the page. Figures that come with a drawing keep it until then.
'use strict';
(() => {
  const specifications = JSON.parse(document.getElementById('charts').textContent);
  const kNarrow = 520;  // below this many pixels a row's name stands above its marks, not beside them

  const narrow = (config) => ({
    ...config,
    axisYBand: {
      ...config.axisYBand, labelAlign: 'left', labelBaseline: 'bottom', labelPadding: 0, labelOffset: {expr: "-bandwidth('y') / 2"},
      labelLimit: 400,
    },
  });

  const draw = async (figure) => {
    const specification = specifications[figure.dataset.chart];
    const plot = figure.querySelector('.plot');
    const small = plot.clientWidth < kNarrow;
    const spec = {...specification, config: small ? narrow(specification.config) : specification.config};
    const frame = document.createElement('div');
    frame.className = 'plot';
    plot.after(frame);
    try {
      await vegaEmbed(frame, spec, {renderer: 'svg', actions: false, tooltip: {theme: 'lab'}, mode: 'vega-lite'});
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
