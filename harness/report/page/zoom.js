// A live page's charts over time: a reader drags over one to see a range of time, chooses the last nights, or types dates.
// The range is in the address: #?from=2026-05-01&to=2026-06-01, a day or a minute (UTC); without `to`, it goes on as results
// come. Charts over time are drawn from it by figures.js.
'use strict';
const kDay = 86400000;
const kLast = [30, 90, 365];
const kLeastDrag = 8;  // pixels: less is a click

// The time that a text of the address names, in ms; `to` names a day's last moment. null: none.
const time_named = (text, is_end) => {
  const found = /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.exec(text ?? '');
  const time = found ? Date.parse(found[1] ? `${text}Z` : text) : NaN;
  return Number.isNaN(time) ? null : time + (!found[1] && is_end ? kDay - 1 : 0);
};
// A range of less than ten days is named to the minute.
const named = (time, length) => new Date(time).toISOString().slice(0, length < 10 * kDay ? 16 : 10);
const day_of = (time) => new Date(time).toISOString().slice(0, 10);

// [from, to] of the address's values, within [first, last]; null: all.
const range_of = ({from, to}, [first, last]) => {
  const start = time_named(from, false), end = time_named(to, true);
  if ((start === null && end === null) || (start ?? first) >= (end ?? last)) return null;
  return [start ?? first, end ?? last];
};
// The button that stands for the values: a number of nights, 'all', or '' for another range.
const pressed = ({from, to}, last) => from === '' && to === '' ? 'all' :
  to === '' ? String(kLast.find((nights) => day_of(last - nights * kDay) === from) ?? '') : '';

const sentence = (range, times) => {
  if (range === null) return '';
  const inside = times.filter((time) => time >= range[0] && time <= range[1]).length, between = `${named(range[0], range[1] - range[0])} to ${named(range[1], range[1] - range[0])}`;
  return inside === 0 ? `No session from ${between}: charts show all.` : `${between}: ${inside} of ${times.length} sessions.`.replaceAll('T', ' ');
};

const start = () => {
  const found = charts.over_time().filter(({times}) => times.length > 1);
  if (found.length === 0) return;
  const all = [...new Set(found.flatMap(({times}) => times))].sort((a, b) => a - b), ends = [all[0], all.at(-1)];
  const asked = new URLSearchParams(location.search);  // a link from elsewhere may have them there
  const values = () => {
    const {values: {from, to}} = page_address.now();
    return {from: from ?? asked.get('from') ?? '', to: to ?? asked.get('to') ?? ''};
  };

  const button = (text, value, then) => make('button', {type: 'button', textContent: text, value, onclick: then});
  const buttons = [button('All', 'all', () => choose({from: '', to: ''})),
    ...kLast.map((nights) => button(`${nights} nights`, String(nights), () => choose({from: day_of(ends[1] - nights * kDay), to: ''})))];
  const date = (label, key) => {
    const input = make('input', {type: 'date', min: day_of(ends[0]), max: day_of(ends[1]), onchange: () => choose({...values(), [key]: input.value})});
    return make('label', {}, `${label} `, input);
  };
  const from = date('From', 'from'), to = date('to', 'to'), reset = button('Reset', '', () => choose({from: '', to: ''}));
  const says = make('p', {className: 'zoom-says'});
  says.setAttribute('role', 'status');
  const controls = make('div', {className: 'zoom'}, ...buttons, from, to, reset, says);
  controls.setAttribute('role', 'group');
  controls.setAttribute('aria-label', 'Range of time of the charts');
  const hint = make('span', {className: 'zoom-hint', textContent: 'Drag over a chart to see a part of it.'});

  const show = () => {
    const now = values(), range = range_of(now, ends), down = pressed(now, ends[1]);
    for (const one of buttons) one.setAttribute('aria-pressed', String(one.value === down));
    from.querySelector('input').value = now.from.slice(0, 10);
    to.querySelector('input').value = now.to.slice(0, 10);
    reset.hidden = range === null;
    const text = sentence(range, all);
    if (says.textContent !== text || text === '') says.replaceChildren(text === '' ? hint : text);
    return charts.zoom(range);
  };
  const choose = (wanted) => {
    for (const key of ['from', 'to']) asked.delete(key);
    page_address.set(wanted);
    show();
  };

  // The time at a place of the window, in a figure's plot.
  const time_at = (figure, x) => {
    const view = charts.view_of(figure), svg = figure.querySelector('.plot svg');
    if (!view || !svg) return null;
    const box = svg.getBoundingClientRect(), left = view.padding().left + view.origin()[0], place = (x - box.left) / box.width * svg.width.baseVal.value - left;
    return view.scale('x').invert(Math.max(0, Math.min(view.width(), place))).getTime();
  };
  let drag = null;
  const stop = () => {
    drag?.box.remove();
    drag = null;
  };
  const plot_at = ({target}) => target.closest?.('.plot') ?? null;
  for (const {figure} of found) {
    figure.classList.add('zoomable');
    figure.addEventListener('pointerdown', (event) => {
      const plot = plot_at(event);
      if (!plot || event.button !== 0 || event.pointerType === 'touch' || time_at(figure, event.clientX) === null) return;
      stop();
      event.preventDefault();
      figure.setPointerCapture(event.pointerId);
      drag = {figure, plot, x: event.clientX, box: make('div', {className: 'zoom-box', hidden: true})};
      plot.append(drag.box);
    });
    figure.addEventListener('pointermove', (event) => {
      if (drag?.figure !== figure) return;
      const {left} = drag.plot.getBoundingClientRect(), {box, x} = drag;
      box.style.left = `${Math.min(x, event.clientX) - left}px`;
      box.style.width = `${Math.abs(event.clientX - x)}px`;
      box.hidden = Math.abs(event.clientX - x) < kLeastDrag;
    });
    figure.addEventListener('pointerup', (event) => {
      if (drag?.figure !== figure) return;
      const wide = Math.abs(event.clientX - drag.x) >= kLeastDrag;
      const [start, end] = [drag.x, event.clientX].sort((a, b) => a - b).map((x) => time_at(figure, x));
      stop();
      if (wide && start !== null && end > start) choose({from: named(start, end - start), to: named(end, end - start)});
    });
    figure.addEventListener('pointercancel', stop);
    figure.addEventListener('dblclick', (event) => { if (plot_at(event)) choose({from: '', to: ''}); });
  }
  life.listen(document, 'keydown', ({key}) => { if (key === 'Escape') stop(); });
  life.at_end(stop);

  found[0].figure.closest('.charts').before(controls);
  page_address.listen(show);
  show();
};
