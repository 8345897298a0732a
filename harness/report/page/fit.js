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

  // A scale of `size` pixels as functions to them and back.
  const scale_of = ({type, domain}, size) => {
    const [into, back] = type === 'log' ? [Math.log, Math.exp] : [Number, Number];
    const [low, high] = domain.map(into);
    return {to: (value) => (into(value) - low) / (high - low) * size, from: (place) => back(low + place / size * (high - low))};
  };

  // Places the names of points (choice.json, trade_off.json) where they hide no other point, interval, line or name, the
  // nearest such place first. A name that is not beside its point gets a line to it. Points on the front are first.
  const place_labels = (plot_width) => {
    const kLine = 14, kMark = 6, kStep = 9, kDirections = 16, kBeside = 2;
    const layer = views.find(({name}) => name === 'labels');
    if (!layer || !spec.datasets.rows.length) return;
    const fontSize = layer.mark.fontSize, name = layer.encoding.text.field;
    const {x: {field: x_field}, y: {field: y_field}} = spec.encoding;
    const most_away = name === 'label' ? 3 : 40;  // steps: the place on an axis says too little for a long line to it
    const named = spec.datasets.rows.filter((row) => row[name] !== '');
    // A narrow plot needs height in place of width.
    const area = named.reduce((sum, row) => sum + (width_of(row[name], fontSize) + 12) * kLine, 0);
    spec.height = Math.min(1600, Math.max(spec.height, Math.round(5 * area / plot_width)));
    const height = spec.height;
    const x_scale = scale_of(spec.encoding.x.scale, plot_width), y_scale = scale_of(spec.encoding.y.scale, height);
    const to_x = x_scale.to, to_y = (value) => height - y_scale.to(value);
    const place_of = (row) => [to_x(row[x_field]), to_y(row[y_field])];
    const taken = spec.datasets.rows.flatMap((row) => {
      const [x, y] = place_of(row), {low, high} = row;
      return [
        {left: x - kMark, right: x + kMark, top: y - kMark, bottom: y + kMark},
        ...low === undefined ? [] : [{left: to_x(low), right: to_x(high), top: y - 1, bottom: y + 1}],
      ];
    });
    // Small boxes along a line, without so much at its ends.
    const along = (from_x, from_y, x, y, ends) => {
      const length = Math.hypot(x - from_x, y - from_y), steps = Math.floor(Math.max(0, length - ends) / 4);
      return Array.from({length: steps}, (_, at) => {
        const share = (at + 0.5) * 4 / length, centre_x = from_x + share * (x - from_x), centre_y = from_y + share * (y - from_y);
        return {left: centre_x - 1, right: centre_x + 1, top: centre_y - 1, bottom: centre_y + 1};
      });
    };
    // The front is drawn in steps; other lines join the points of one workload.
    const bend = (spec.datasets.front ?? []).map(place_of);
    for (const [at, [x, y]] of bend.slice(1).entries()) {
      const [before_x, before_y] = bend[at];
      taken.push({left: before_x, right: x, top: before_y - 1, bottom: before_y + 1}, {left: x - 1, right: x + 1, top: before_y, bottom: y});
    }
    for (const [at, row] of spec.datasets.rows.slice(1).entries())
      if (row.workload !== undefined && row.workload === spec.datasets.rows[at].workload)
        taken.push(...along(...place_of(spec.datasets.rows[at]), ...place_of(row), 0));
    const hits = (box) => taken.some(({left, right, top, bottom}) =>
      box.left < right && left < box.right && box.top < bottom && top < box.bottom);
    // Small boxes along the line from a name to its point.
    const line_to = (box, x, y) => {
      const from_x = Math.min(Math.max(x, box.left + 2), box.right - 2), from_y = Math.min(Math.max(y, box.top + 2), box.bottom - 2);
      return along(from_x, from_y, x, y, kMark + 2);
    };
    const names_taken = [];
    const place = (row, crossing) => {
      const wide = width_of(row[name], fontSize) + 6, [x, y] = place_of(row);
      for (let away = 0; away < most_away; ++away)
        for (let at = 0; at < kDirections; ++at) {
          // Right, left, above, below first: 0, 8, 4, 12 of 16.
          const turn = 2 * Math.PI * ((at % 2) * 8 + [0, 4, 2, 6, 1, 5, 3, 7][at >> 1]) / kDirections;
          const along = Math.cos(turn), across = Math.sin(turn);
          const centre_x = x + along * (kMark + 2 + wide / 2 + kStep * away), centre_y = y + across * (kMark + kLine / 2 + kStep * away);
          const box = {left: centre_x - wide / 2, right: centre_x + wide / 2, top: centre_y - kLine / 2, bottom: centre_y + kLine / 2};
          if (box.left < 0 || box.right > plot_width || box.top < 0 || box.bottom > height || hits(box)) continue;
          const line = away < kBeside ? [] : line_to(box, x, y);
          if (!crossing && line.some((piece) => names_taken.some(({left, right, top, bottom}) =>
            piece.left < right && left < piece.right && piece.top < bottom && top < piece.bottom))) continue;
          return {x: centre_x, y: centre_y, box, away, line};
        }
      return null;
    };
    const from_x = x_scale.from, from_y = (y) => y_scale.from(height - y);
    const labels = [], leaders = [];
    const order = ['no figure for memory', 'on neither', "on its group's front", 'on the front'];
    const ranked = [...named].sort((a, b) => order.indexOf(b.kind) - order.indexOf(a.kind));
    for (const row of ranked) {
      const placed = place(row, false) ?? place(row, true);
      if (!placed) continue;  // the tooltip and the table name it
      taken.push(placed.box, ...placed.line);
      names_taken.push(placed.box);
      labels.push({[name]: row[name], benchmark: row.benchmark, x: from_x(placed.x), y: from_y(placed.y)});
      if (placed.away < kBeside) continue;
      const {left, right, top, bottom} = placed.box, [x, y] = place_of(row);
      leaders.push({
        benchmark: row.benchmark, x: row[x_field], y: row[y_field],
        to_x: from_x(Math.min(Math.max(x, left + 2), right - 2)), to_y: from_y(Math.min(Math.max(y, top + 2), bottom - 2)),
      });
    }
    spec.datasets.labels = labels;
    spec.datasets.leaders = leaders;
    // Vega cannot scale the fields of no rows.
    spec.layer = spec.layer.filter((one) => spec.datasets[one.name]?.length !== 0);
  };

  const names = spec.encoding?.y;
  const names_width = names?.type === 'nominal' ? place_names(names) : kNumbers;
  place_legend(width - names_width - kEdges);
  place_labels(width - names_width - kEdges);
  return spec;
};
