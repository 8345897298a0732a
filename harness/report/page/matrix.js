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
    this.form.addEventListener('reset', () => life.after(0, () => this.apply()));
    this.view.addEventListener('scroll', () => requestAnimationFrame(() => this.render()));
    life.observe(new ResizeObserver(() => { this.drawn = ''; this.render(); }), this.view);
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

const start = () => {
  const all = JSON.parse(document.getElementById('matrices').textContent);
  for (const place of document.querySelectorAll('.matrix')) new Matrix(place, all[place.dataset.matrix]).start();
};
