// fit_to(specification, width): fits a chart to a width, on the page and in an SVG file. Vega alone shrinks the plot, down
// to nothing. Here the legend gets more rows and names move above their marks first.
'use strict';
globalThis.fit_to = (spec, width) => {
  const kNarrow = 520;  // pixels: in narrower charts, a row's name is above its marks, not to their left
  const kMostNames = 0.5;  // maximum share of the width for names to the left of marks
  const kNumbers = 66;  // width in pixels of a numeric axis with its title
  const kEdges = 30;  // pixels of padding, both sides together
  const kSymbol = 20;  // pixels of a legend's symbol, with its distance from the label

  const views = [spec, ...spec.layer ?? []];
  const unique = (field) => [...new Set(spec.datasets.rows.map((row) => row[field]))];
  const width_of = (text, fontSize) => vega.textMetrics.width({font: spec.config.font, fontSize}, String(text));
  const widest = (texts, fontSize) => Math.max(0, ...texts.map((text) => width_of(text, fontSize)));

  // A Vega expression that maps each text to one that fits into `room`: itself, or `shorter`(text, characters).
  const cut = (text, room, fontSize, shorter) => {
    let kept = text.length, short = text;
    while (kept > 4 && width_of(short, fontSize) > room) short = shorter(text, --kept);
    return short;
  };
  const within = (texts, room, fontSize, shorter) =>
    `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, cut(text, room, fontSize, shorter)])))}[datum.label]`;
  // The whole text in several lines, broken at its spaces: what a name says at its end may matter.
  const wrapped = (text, room, fontSize) => {
    const lines = [];
    for (const word of text.split(' ')) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && width_of(longer, fontSize) <= room) lines[lines.length - 1] = longer;
      else lines.push(width_of(word, fontSize) <= room ? word : cut(word, room, fontSize, beginning));
    }
    return lines;
  };
  const beginning = (text, kept) => `${text.slice(0, kept)}…`;
  const both_ends = (text, kept) => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(-Math.floor(kept / 2))}`;

  const place_names = (axis) => {
    const names = unique(axis.field);
    const wide = widest(names, spec.config.axis.labelFontSize);
    if (width >= kNarrow && wide <= kMostNames * width) {
      axis.axis = {...axis.axis, labelLimit: kMostNames * width};
      return wide + spec.config.axis.labelPadding;
    }
    const room = width - kEdges;
    spec.config.axisYBand = {  // names are in front of shaded areas
      labelAlign: 'left', labelBaseline: 'bottom', labelPadding: 0, labelLimit: room, labelOffset: {expr: "-bandwidth('y') / 2"}, zindex: 1,
    };
    // Keep both ends, because names may differ at either.
    if (wide > room) axis.axis = {...axis.axis, labelExpr: within(names, room, spec.config.axis.labelFontSize, both_ends)};
    spec.height = {...spec.height, step: spec.height.step + 16};
    axis.scale = {paddingInner: 16 / spec.height.step + 0.1, paddingOuter: 0.4};
    return 0;
  };

  const place_legend = (room) => {
    const channels = views.flatMap(({encoding}) => ['color', 'shape', 'stroke'].map((name) => encoding?.[name]))
      .filter((channel) => channel?.type === 'nominal' && channel.legend !== null);
    if (channels.length === 0) return;
    const entries = channels.flatMap(({field, scale}) => Array.isArray(scale?.domain) ? scale.domain : unique(field)).map(String);
    const {columnPadding, labelFontSize} = spec.config.legend;
    const wide = widest(entries, labelFontSize) + kSymbol;
    const columns = Math.max(1, Math.floor((room + columnPadding) / (wide + columnPadding)));
    spec.config.legend = {...spec.config.legend, columns, labelLimit: Math.max(room - kSymbol, 60)};
    if (wide <= room) return;
    const lines = Object.fromEntries(entries.map((text) => [text, wrapped(text, room - kSymbol, labelFontSize)]));
    const labelExpr = `${JSON.stringify(lines)}[datum.label]`;
    for (const channel of channels) channel.legend = {...channel.legend, labelExpr};
  };

  const names = spec.encoding?.y;
  const names_width = names?.type === 'nominal' ? place_names(names) : kNumbers;
  place_legend(width - names_width - kEdges);
  return spec;
};
