// The grid of a farm: a row for each benchmark, a column for each machine, in a cell the last nights as a line. Only the
// cells in sight exist; their lines are asked for as they come in sight (api/sparks). What a reader chooses is in the
// address: #?grid.filter=alloc*&grid.class=epyc&grid.nights=90.
'use strict';
const kCell = 84, kRow = 34, kLineWidth = 76;  // pixels; a cell is wider than its line
const kBeyond = 3;  // rows and columns that exist beyond those in sight, for a quick scroll
const kBlock = 20;  // rows of one request for lines
const kNights = [30, 90];
const kLeastSpan = 0.06;  // of a line's height: noise below it looks calm
// What a cell says by colour, by shape and in words: a change of the code, of the environment, an improvement.
const kStates = {r: 'regressed', i: 'improved', e: 'environment changed', o: 'no change', '.': 'no data'};
const kShapes = {r: 'M0 7L4 0L8 7Z', i: 'M0 1L4 8L8 1Z', e: 'M4 0L8 4L4 8L0 4Z'};

// "alloc*/buddy" finds by stars and question marks, a text without these anywhere in the name.
const pattern_of = (text) => {
  const escaped = text.trim().replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  return new RegExp(/[*?]/.test(text) ? `^${escaped}$` : escaped, 'i');
};
const chosen_rows = ({benchmarks}, {filter}) => {
  const pattern = pattern_of(filter);
  return [...benchmarks.keys()].filter((row) => pattern.test(benchmarks[row]));
};
const chosen_columns = ({machines}, {machine_class}) => [...machines.keys()].filter((at) => machine_class === '' || (machines[at].class ?? '') === machine_class);

// Neighbouring columns of one class: [{name, first, count}], by their places among `columns`.
const groups_of = ({machines}, columns) => {
  const groups = [];
  for (const [place, at] of columns.entries()) {
    const name = machines[at].class ?? '';
    if (groups.at(-1)?.name === name) ++groups.at(-1).count; else groups.push({name, first: place, count: 1});
  }
  return groups;
};

// Which of `count` things of `size` pixels are in sight, and a few beyond: [first, end).
const in_sight = (scrolled, length, size, count) => [
  Math.max(0, Math.floor(scrolled / size) - kBeyond), Math.min(count, Math.ceil((scrolled + length) / size) + kBeyond)];

// The blocks of lines that rows lie in: each is one request.
const blocks_of = (rows) => [...new Set(rows.map((row) => Math.floor(row / kBlock)))];

// A line through the values of nights, null where there is none; one night alone is a dot.
const line_of = (values, width, height) => {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '';
  const least = Math.min(...known), most = Math.max(...known), middle = (least + most) / 2, span = Math.max(most - least, kLeastSpan * middle);
  const x = (at) => (at + 0.5) / values.length * width, y = (value) => height / 2 - (value - middle) / span * height;
  const pieces = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const place = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    pieces.push(at > 0 && values[at - 1] !== null ? `L${place}` : values[at + 1] == null ? `M${place}h.01` : `M${place}`);
  }
  return pieces.join('');
};

// How long a machine has been silent.
const silence_of = ({silent_days}) => silent_days > 0 ? `silent ${silent_days} d` : '';
const percent = (share) => `${share >= 1 ? '+' : '−'}${Math.abs(100 * (share - 1)).toFixed(1)} %`;
const median = (values) => {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length === 0 ? null : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
// What a change did: the nights from it to the next one, compared with those from the last one to it.
const change_text = (values, nights, night) => {
  const last = Math.max(0, ...nights.filter((other) => other < night)), next = Math.min(values.length, ...nights.filter((other) => other > night));
  const before = median(values.slice(last, night)), after = median(values.slice(night, next));
  return before === null || after === null ? '' : ` ${percent(after / before)}`;
};
const date_of = (nights, at, count) => {
  const last = Date.parse(nights.at(-1));
  return Number.isNaN(last) ? '' : new Date(last - (count - 1 - at) * 86400000).toISOString().slice(0, 10);
};
const label_of = (benchmark, {id}, state, spark, nights) => {
  const changes = spark?.changes ?? [], at = changes.map(([night]) => night);
  const said = changes.map(([night, kind]) =>
    `${kStates[kind]}${change_text(spark.values ?? [], at, night)} on ${date_of(nights, night, spark.values?.length ?? nights.length)}`);
  return `${benchmark} on ${id}: ${said.length > 0 ? said.join(', ') : kStates[state] ?? kStates['.']}`;
};

const address_of = (machine, benchmark) => `./series?m=${encodeURIComponent(machine)}&b=${encodeURIComponent(benchmark)}`;

// {filter, machine_class, nights} of the address's values.
const kDefault = {filter: '', machine_class: '', nights: kNights[0]};
const choice_of = (values) => ({
  filter: values['grid.filter'] ?? '', machine_class: values['grid.class'] ?? '',
  nights: kNights.includes(Number(values['grid.nights'])) ? Number(values['grid.nights']) : kDefault.nights,
});
const values_of = ({filter, machine_class, nights}) => ({
  'grid.filter': filter.trim(), 'grid.class': machine_class, 'grid.nights': nights === kDefault.nights ? '' : String(nights),
});

// Where a key leads from [row, column], of `rows` and `columns`; `page`: rows in sight. null: nowhere.
const moved = ([row, column], {key, ctrlKey}, rows, columns, page) => {
  const to = {
    ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
    PageDown: [row + page, column], PageUp: [row - page, column],
    Home: [ctrlKey ? 0 : row, 0], End: [ctrlKey ? rows - 1 : row, columns - 1],
  }[key];
  return to ? [Math.max(0, Math.min(rows - 1, to[0])), Math.max(0, Math.min(columns - 1, to[1]))] : null;
};

const with_role = (tag, className, role, ...children) => {
  const made = make(tag, {className}, ...children);
  made.setAttribute('role', role);
  return made;
};
const svg_of = (tag, attributes, ...children) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

class Grid {
  constructor(place, data) {
    this.place = place;
    this.choice = kDefault;
    this.sparks = new Map();   // by nights and benchmark: {version, machines: by id {values, changes, text}}
    this.asked = new Map();    // by block: since when it is on its way
    this.lines = new Map();    // rows that exist, by benchmark: {row, element, name, cells: by machine}
    this.active = [0, 0];
    this.build();
    this.take(data);
  }

  build() {
    this.filter = make('input', {type: 'search', name: 'grid-filter', placeholder: 'family/variant/*', autocomplete: 'off', spellcheck: false});
    this.classes = make('select', {name: 'grid-class'});
    this.nights = make('select', {name: 'grid-nights'}, ...kNights.map((nights) => new Option(`${nights} nights`, nights)));
    this.clear = make('button', {type: 'reset', textContent: 'Clear', hidden: true});
    this.form = make('form', {className: 'grid-form'}, make('label', {}, 'Benchmark ', this.filter), make('label', {}, 'Class ', this.classes),
      make('label', {}, 'Nights ', this.nights), this.clear);
    this.form.setAttribute('role', 'search');
    this.form.setAttribute('aria-label', 'Filter the grid');
    this.status = make('p', {className: 'grid-status'});
    this.status.setAttribute('role', 'status');
    this.group_row = with_role('div', 'grid-groups', 'row');
    this.head_row = with_role('div', 'grid-heads', 'row');
    this.head = with_role('div', 'grid-head', 'rowgroup', this.group_row, this.head_row);
    this.marks = make('div', {className: 'grid-marks'});  // what whole columns say: below the cells
    this.marks.setAttribute('aria-hidden', 'true');
    this.body = with_role('div', 'grid-body', 'rowgroup');
    this.view = with_role('div', 'grid-window', 'grid', this.head, this.marks, this.body);
    this.view.tabIndex = 0;
    this.view.setAttribute('aria-label', 'Benchmarks by machines');
    this.place.replaceChildren(this.form, this.status, this.view, this.legend());
  }

  legend() {
    const item = (sample, text) => make('li', {}, sample, ` ${text}`);
    const shape = (kind) => svg_of('svg', {class: `grid-shape ${kind}`, viewBox: '-1 -1 10 10', 'aria-hidden': 'true'}, svg_of('path', {d: kShapes[kind]}));
    const ground = (kind) => make('span', {className: `grid-sample ${kind}`});
    return make('ul', {className: 'grid-legend'}, item(shape('r'), 'regressed'), item(shape('i'), 'improved'), item(shape('e'), 'environment changed'),
      item(ground('none'), 'no data'), item(ground('doubtful'), 'doubtful night'), item(ground('silent'), 'silent machine'));
  }

  // Listeners that belong to the page's life: the grid outlives it if only its data change.
  attach() {
    const change = (id) => {
      page_address.set(values_of(this.choice), id);
      this.apply();
    };
    let waiting = 0;
    life.listen(this.filter, 'input', () => {
      life.cancel(waiting);
      waiting = life.after(100, () => { this.choice = {...this.choice, filter: this.filter.value}; change(); });
    });
    life.listen(this.classes, 'change', () => { this.choice = {...this.choice, machine_class: this.classes.value}; change(); });
    life.listen(this.nights, 'change', () => { this.choice = {...this.choice, nights: Number(this.nights.value)}; change(); });
    life.listen(this.form, 'submit', (event) => event.preventDefault());
    life.listen(this.form, 'reset', (event) => {
      event.preventDefault();
      this.choice = kDefault;
      change();
      this.filter.focus();
    });
    life.listen(this.view, 'scroll', () => this.render(), {passive: true});
    life.listen(this.view, 'keydown', (event) => this.press(event));
    life.listen(this.view, 'pointerdown', ({target}) => {
      const cell = target.closest('.grid-cell');
      if (cell) this.activate([Number(cell.parentElement.dataset.place), Number(cell.dataset.place)], false);
    });
    life.observe(new ResizeObserver(() => this.render()), this.view);
    life.at_end(() => { this.asked.clear(); this.again = 0; });
    page_address.listen(({values}) => this.choose(choice_of(values)));
    this.choose(choice_of(page_address.now().values));
  }

  // Another state of the farm: cells whose data are the same stay as they are.
  take(data) {
    const of_row = (all) => new Map(all.benchmarks.map((name, row) => [name, all.cells[row]]));
    this.data = data;
    this.cells = of_row(data);
    this.rows_by_name = new Map(data.benchmarks.map((name, row) => [name, row]));
    const names = [...new Set(data.machines.map((machine) => machine.class ?? ''))];
    const options = ['', ...names.filter((name) => name !== '')];
    if ([...this.classes.options].map(({value}) => value).join('\n') !== options.join('\n'))
      this.classes.replaceChildren(...options.map((name) => new Option(name === '' ? 'all' : name, name)));
    this.classes.parentElement.hidden = options.length < 3;
    this.apply();
  }

  choose(choice) {
    if (JSON.stringify(choice) === JSON.stringify(this.choice)) return;
    this.choice = choice;
    this.apply();
  }

  apply() {
    const {data, choice} = this;
    if (this.filter.value.trim() !== choice.filter.trim()) this.filter.value = choice.filter;
    if (![...this.classes.options].some(({value}) => value === choice.machine_class)) this.classes.add(new Option(choice.machine_class, choice.machine_class));
    this.classes.value = choice.machine_class;
    this.nights.value = String(choice.nights);
    this.clear.hidden = JSON.stringify(choice) === JSON.stringify(kDefault);
    this.rows = chosen_rows(data, choice);
    this.columns = chosen_columns(data, choice);
    this.active = [Math.min(this.active[0], Math.max(0, this.rows.length - 1)), Math.min(this.active[1], Math.max(0, this.columns.length - 1))];
    const says = this.rows.length === 0 || this.columns.length === 0 ? 'Nothing matches. Clear the filter to see all.' :
      `${this.rows.length} of ${data.benchmarks.length} benchmarks on ${this.columns.length} of ${data.machines.length} machines, the last ${choice.nights} nights.`;
    if (this.status.textContent !== says) this.status.textContent = says;
    this.view.hidden = this.rows.length === 0 || this.columns.length === 0;
    this.view.setAttribute('aria-rowcount', this.rows.length + 2);
    this.view.setAttribute('aria-colcount', this.columns.length + 1);
    const width = `${this.columns.length * kCell}px`;
    for (const part of [this.head, this.body, this.marks]) part.style.setProperty('--columns-width', width);
    this.body.style.height = `${this.rows.length * kRow}px`;
    this.drawn_head = '';
    this.render();
  }

  name_width() { return parseFloat(getComputedStyle(this.view).getPropertyValue('--name')); }
  head_height() { return this.head.offsetHeight; }

  // What is in sight, as places among the chosen rows and columns.
  sight() {
    const {view} = this, name = this.name_width();
    const [top, bottom] = in_sight(view.scrollTop, view.clientHeight - this.head_height(), kRow, this.rows.length);
    const [left, right] = in_sight(view.scrollLeft, view.clientWidth - name, kCell, this.columns.length);
    return {top, bottom, left, right};
  }

  render() {
    if (this.view.hidden || this.view.clientWidth === 0) return;
    const {top, bottom, left, right} = this.sight();
    this.draw_head(left, right);
    const kept = new Set();
    for (let place = top; place < bottom; ++place) {
      const row = this.rows[place], benchmark = this.data.benchmarks[row];
      kept.add(benchmark);
      this.draw_line(place, benchmark, left, right);
    }
    for (const [benchmark, line] of this.lines)
      if (!kept.has(benchmark)) {
        line.element.remove();
        this.lines.delete(benchmark);
      }
    // A reader of the page goes from row to row as the eye does.
    if (this.body.children.length > 1) {
      let before = null;
      for (let place = top; place < bottom; ++place) {
        const {element} = this.lines.get(this.data.benchmarks[this.rows[place]]);
        const expected = before === null ? this.body.firstElementChild : before.nextElementSibling;
        if (expected !== element) this.body.insertBefore(element, expected);
        before = element;
      }
    }
    this.mark_active();
    this.ask_soon(this.rows.slice(top, bottom));
  }

  draw_head(left, right) {
    const {data, columns} = this, of_nights = data.nights?.length ?? 0;
    const now = JSON.stringify([left, right, this.choice.nights, columns.slice(left, right).map((at) => data.machines[at])]);
    if (now === this.drawn_head) return;
    this.drawn_head = now;
    this.head_row.setAttribute('aria-rowindex', 2);
    this.group_row.setAttribute('aria-rowindex', 1);
    const corner = with_role('div', 'grid-name grid-corner', 'columnheader', 'Benchmark');
    corner.setAttribute('aria-colindex', 1);
    const blank = with_role('div', 'grid-name', 'columnheader', 'Class');
    blank.setAttribute('aria-colindex', 1);
    const groups = groups_of(data, columns);
    this.firsts = new Set(groups.slice(1).map(({first}) => first));
    this.group_row.replaceChildren(blank, ...groups.filter(({first, count}) => first < right && first + count > left).map(({name, first, count}) => {
      const made = with_role('div', 'grid-group', 'columnheader', make('span', {textContent: name || 'no class', title: name}));
      made.setAttribute('aria-colindex', first + 2);
      made.setAttribute('aria-colspan', count);
      made.style.left = `calc(var(--name) * 1px + ${first * kCell}px)`;
      made.style.width = `${count * kCell}px`;
      return made;
    }));
    const heads = [], marks = [];
    for (let place = left; place < right; ++place) {
      const machine = data.machines[columns[place]], silent = silence_of(machine);
      const says = silent || (machine.retired ? 'retired' : '');
      const link = make('a', {href: `./machine?id=${encodeURIComponent(machine.id)}`, textContent: machine.id, title: machine.id, tabIndex: -1});
      const head = with_role('div', `grid-machine${silent ? ' silent' : ''}${machine.retired ? ' retired' : ''}`, 'columnheader', link, make('small', {textContent: says}));
      head.setAttribute('aria-colindex', place + 2);
      head.style.left = `calc(var(--name) * 1px + ${place * kCell}px)`;
      heads.push(head);
      if (silent || machine.retired) marks.push(this.mark(silent ? 'silent' : 'retired', place * kCell, kCell));
      for (const night of machine.doubtful ?? []) {
        const at = night + this.choice.nights - of_nights, wide = Math.max(kLineWidth / this.choice.nights, 4);
        if (at >= 0) marks.push(this.mark('doubtful', place * kCell + (kCell - kLineWidth) / 2 + (at + 0.5) / this.choice.nights * kLineWidth - wide / 2, wide));
      }
    }
    this.head_row.replaceChildren(corner, ...heads);
    this.marks.replaceChildren(...marks);
    this.marks.style.setProperty('--rows-height', this.body.style.height);
  }

  mark(kind, left, width) {
    const made = make('div', {className: `grid-mark ${kind}`});
    made.style.left = `calc(var(--name) * 1px + ${left}px)`;
    made.style.width = `${width}px`;
    return made;
  }

  draw_line(place, benchmark, left, right) {
    let line = this.lines.get(benchmark);
    if (!line) {
      const [family, ...rest] = benchmark.split('/');
      const name = with_role('div', 'grid-name', 'rowheader', make('span', {textContent: rest.length > 0 ? rest.join('/') : family}), make('small', {textContent: rest.length > 0 ? family : ''}));
      name.title = benchmark;
      name.setAttribute('aria-label', benchmark);
      name.setAttribute('aria-colindex', 1);
      line = {element: with_role('div', 'grid-row', 'row', name), cells: new Map()};
      this.lines.set(benchmark, line);
      this.body.append(line.element);
    }
    if (line.place !== place) {
      line.place = place;
      line.element.style.top = `${place * kRow}px`;
      line.element.dataset.place = place;
      line.element.setAttribute('aria-rowindex', place + 3);
    }
    const kept = new Set();
    let before = line.element.firstElementChild;
    for (let at = left; at < right; ++at) {
      const machine = this.data.machines[this.columns[at]];
      kept.add(machine.id);
      const cell = this.draw_cell(line, benchmark, machine, this.columns[at], at);
      if (before.nextElementSibling !== cell) before.after(cell);
      before = cell;
    }
    for (const [id, cell] of line.cells)
      if (!kept.has(id)) {
        cell.element.remove();
        line.cells.delete(id);
      }
  }

  spark_of(benchmark, machine) {
    const found = this.sparks.get(`${this.choice.nights} ${benchmark}`);
    return found?.machines.get(machine);
  }

  draw_cell(line, benchmark, machine, column, place) {
    let cell = line.cells.get(machine.id);
    if (!cell) {
      const link = make('a', {href: address_of(machine.id, benchmark), tabIndex: -1});
      cell = {element: with_role('div', 'grid-cell', 'gridcell', link), link, drawn: null};
      line.cells.set(machine.id, cell);
    }
    if (cell.place !== place) {
      cell.place = place;
      cell.element.dataset.place = place;
      cell.element.style.left = `calc(var(--name) * 1px + ${place * kCell}px)`;
      cell.element.setAttribute('aria-colindex', place + 2);
    }
    const state = this.cells.get(benchmark)?.[column] ?? '.', spark = this.spark_of(benchmark, machine.id);
    const drawn = `${state} ${this.firsts?.has(place)} ${spark?.text}`;
    if (drawn === cell.drawn) return cell.element;
    cell.drawn = drawn;
    cell.element.className = `grid-cell${state === '.' ? ' none' : kShapes[state] ? ` ${state}` : ''}${this.firsts?.has(place) ? ' first' : ''}`;
    cell.link.setAttribute('aria-label', label_of(benchmark, machine, state, spark, this.data.nights ?? []));
    cell.link.title = cell.link.getAttribute('aria-label');
    cell.link.replaceChildren(...state === '.' && !spark?.values ? [] : [this.picture(state, spark)]);
    return cell.element;
  }

  picture(state, spark) {
    const height = kRow - 12, left = (kCell - kLineWidth) / 2, count = spark?.values?.length ?? this.choice.nights;
    const picture = svg_of('svg', {width: kCell, height: kRow - 1, viewBox: `0 0 ${kCell} ${kRow - 1}`, 'aria-hidden': 'true'});
    const line = spark?.values ? line_of(spark.values, kLineWidth, height) : '';
    for (const [night, kind] of spark?.changes ?? []) {
      const x = left + (night + 0.5) / count * kLineWidth;
      picture.append(svg_of('path', {class: `at ${kind}`, d: `M${x.toFixed(1)} 1V${kRow - 2}`}),
        svg_of('path', {class: `shape ${kind}`, transform: `translate(${Math.min(Math.max(x - 4, 1), kCell - 9).toFixed(1)} 1)`, d: kShapes[kind] ?? ''}));
    }
    if (line) picture.append(svg_of('path', {class: 'line', transform: `translate(${left} 6)`, d: line}));
    // Until the lines are there, and if the change is before the first night.
    if (kShapes[state] && !(spark?.changes ?? []).some(([, kind]) => kind === state))
      picture.append(svg_of('path', {class: `shape ${state}`, transform: `translate(${kCell - 10} 2)`, d: kShapes[state]}));
    return picture;
  }

  // Lines are asked for when a reader stops for a moment.
  ask_soon(rows) {
    this.wanted = rows;
    if (this.soon) return;
    this.soon = true;
    life.after(this.asked.size === 0 && this.sparks.size === 0 ? 0 : 60, () => { this.soon = false; this.ask(); });
    life.at_end(() => { this.soon = false; });
  }

  is_known(row) {
    const found = this.sparks.get(`${this.choice.nights} ${this.data.benchmarks[row]}`);
    return found?.version === this.data.version;
  }

  ask() {
    for (const block of blocks_of(this.wanted.filter((row) => row < this.data.benchmarks.length && !this.is_known(row)))) {
      const key = `${this.data.version} ${this.choice.nights} ${block}`;
      if (!this.asked.has(key)) this.fetch(key, block, this.data, this.choice.nights);
    }
  }

  async fetch(key, block, data, nights) {
    this.asked.set(key, true);
    const {signal} = life;
    const last = Math.min((block + 1) * kBlock, data.benchmarks.length);
    try {
      const answer = await fetch(`api/sparks?from=${block * kBlock}&to=${last}&nights=${nights}`, {signal});
      if (!answer.ok) throw new Error(answer.status);
      const found = await answer.json();
      if (signal.aborted) return;
      if (found.version === data.version) this.keep(found, data, nights);
      this.asked.delete(key);  // of another version: the page will hear of it
    } catch {
      if (signal.aborted) return;
      life.after(1000, () => {
        this.asked.delete(key);
        this.ask();
      });
    }
  }

  keep({version, rows}, data, nights) {
    for (const {row, cells, changes} of rows) {
      const machines = new Map(data.machines.map(({id}, at) => [id, {values: cells[at] ?? null, changes: []}]));
      for (const [at, night, kind] of changes ?? []) machines.get(data.machines[at].id).changes.push([night, kind]);
      for (const spark of machines.values()) spark.text = JSON.stringify([spark.values, spark.changes]);
      this.sparks.set(`${nights} ${data.benchmarks[row]}`, {version, machines});
    }
    this.render();
  }

  press(event) {
    const page = Math.max(1, Math.floor((this.view.clientHeight - this.head_height()) / kRow) - 1);
    if (event.altKey || event.metaKey || event.target !== this.view) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.cell_at(this.active)?.link.click();
      return;
    }
    const to = moved(this.active, event, this.rows.length, this.columns.length, page);
    if (!to) return;
    event.preventDefault();
    this.activate(to, true);
  }

  cell_at([row, column]) {
    const benchmark = this.data.benchmarks[this.rows[row]];
    return this.lines.get(benchmark)?.cells.get(this.data.machines[this.columns[column]]?.id);
  }

  activate(to, scrolls) {
    this.active = to;
    if (scrolls) {
      const {view} = this, [row, column] = to, name = this.name_width(), high = view.clientHeight - this.head_height(), wide = view.clientWidth - name;
      view.scrollTop = Math.min(row * kRow, Math.max(view.scrollTop, (row + 1) * kRow - high));
      view.scrollLeft = Math.min(column * kCell, Math.max(view.scrollLeft, (column + 1) * kCell - wide));
    }
    this.render();
  }

  mark_active() {
    this.view.querySelector('.grid-cell.active')?.classList.remove('active');
    const cell = this.cell_at(this.active);
    if (!cell) return this.view.removeAttribute('aria-activedescendant');
    cell.element.id = `${this.place.id}-active`;
    for (const other of this.view.querySelectorAll(`#${CSS.escape(cell.element.id)}`)) if (other !== cell.element) other.removeAttribute('id');
    cell.element.classList.add('active');
    this.view.setAttribute('aria-activedescendant', cell.element.id);
  }
}

// A grid that this code has made goes on with its cells; code that has changed makes them anew.
const made_before = (place, code) => {
  if (place.grid?.code !== code) return null;
  return Object.assign(Object.create(Grid.prototype), place.grid);
};
const start = () => {
  const grids = new Map(), code = lab.modules.get('grid');
  for (const place of document.querySelectorAll('[data-grid]')) {
    const data = lab.data?.[place.id];
    if (!data) continue;
    const before = place.grid, grid = made_before(place, code) ?? new Grid(place, data);
    place.grid = Object.assign(grid, {code, sparks: before?.sparks ?? grid.sparks, active: before?.active ?? grid.active});
    grid.attach();
    if (grid.data !== data) grid.take(data);
    grids.set(place.id, grid);
  }
  return {take(id, data) { grids.get(id)?.take(data); }};
};
