// Sorts, filters and exports a table, chooses its columns, and links its rows. What it shows is in the address:
// #table-<name>?<name>.sort=-<column>&<name>.columns=<column>,<column>&<name>.<column>=<filter>. A column is its title in
// small letters. Without scripts, a table has the order of the report and all of its columns.
'use strict';
const kLeastRows = 4;  // a smaller table is read at once
const kChoices = 12;   // of fewer different texts, a filter offers each
const kUnits = {
  ns: 1, µs: 1e3, μs: 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12,
  B: 1, bytes: 1, byte: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9,
};
const kNumber = /^[[(≈~]?\s*([-−+]?)(\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)\s*([a-zA-Zµμ]+|[%×])?/;

// The number that a text begins with, in ns or bytes if it has such a unit; a date as its digits; otherwise NaN.
const value_of = (text) => {
  const date = /^(\d{4})-(\d\d)-(\d\d)/.exec(text);
  if (date) return Number(date.slice(1).join(''));
  const found = kNumber.exec(text);
  if (!found) return NaN;
  const [, sign, digits, unit] = found;
  return (sign === '-' || sign === '−' ? -1 : 1) * Number(digits.replaceAll(',', '')) * (kUnits[unit] ?? 1);
};
const is_quantity = (text) => kNumber.exec(text)?.[0].length === text.length;

// Keys of columns, unique in their table and the same in the next report.
const keys_of = (titles) => {
  const taken = new Set(['sort', 'columns']), keys = [];
  for (const title of titles) {
    const key = title.toLowerCase().replace(/[^a-z0-9_]+/g, '-').replace(/^-|-$/g, '') || 'column';
    let unique = key;
    for (let i = 2; taken.has(unique); ++i) unique = `${key}-${i}`;
    taken.add(unique);
    keys.push(unique);
  }
  return keys;
};

// Negative if the row `a` comes first. Cells without text, and those without a number in a column of numbers, are last in
// either direction.
const comparer = (at, is_number, direction, collate) => is_number ?
  (a, b) => {
    const x = a.values[at], y = b.values[at];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || (a.texts[at] === '') - (b.texts[at] === '');
    return direction * (x - y);
  } :
  (a, b) => {
    const x = a.texts[at], y = b.texts[at];
    if (x === '' || y === '') return (x === '') - (y === '');
    return direction * collate(x, y);
  };

// What a filter of a column keeps: "text" (in it, in any case), "=text" (all of it), "!text", "<5", ">= 2 ms", "1..3".
const kept_by = (query) => {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return () => true;
  if (wanted[0] === '!') {
    const rest = kept_by(wanted.slice(1));
    return wanted.length === 1 ? () => true : (text, value) => !rest(text, value);
  }
  const [, sign, limit] = /^(<=|>=|<|>|≤|≥)\s*(.*)$/.exec(query.trim()) ?? [];
  if (sign && !Number.isNaN(value_of(limit))) {
    const bound = value_of(limit);
    if (sign === '<') return (text, value) => value < bound;
    if (sign === '>') return (text, value) => value > bound;
    return sign === '<=' || sign === '≤' ? (text, value) => value <= bound : (text, value) => value >= bound;
  }
  const [low, high] = query.split('..').map((part) => value_of(part.trim()));
  if (query.split('..').length === 2 && !Number.isNaN(low) && !Number.isNaN(high)) return (text, value) => value >= low && value <= high;
  if (wanted[0] === '=') return (text) => text.toLowerCase() === wanted.slice(1).trim();
  return (text) => text.toLowerCase().includes(wanted);
};

// {sort: '', a key, or '-' and a key; shown: the keys of the shown columns, null: as the page chooses; filters: by key}
const kAsReported = {sort: '', shown: null, filters: {}};
const state_of = (values, name, keys) => {
  const value = (what) => values[`${name}.${what}`] ?? '';
  const sort = value('sort'), shown = value('columns').split(',').filter((key) => keys.includes(key));
  return {
    sort: keys.includes(sort.replace(/^-/, '')) ? sort : '', shown: shown.length > 0 ? shown : null,
    filters: Object.fromEntries(keys.map((key) => [key, value(key)]).filter(([, query]) => query !== '')),
  };
};
const values_of = ({sort, shown, filters}, name, keys) => Object.fromEntries([
  ['sort', sort], ['columns', shown === null ? '' : shown.join(',')], ...keys.map((key) => [key, filters[key] ?? '']),
].map(([what, value]) => [`${name}.${what}`, value]));

// What the reader has chosen, for the line above the table; '' if nothing.
const sentence_of = ({sort, filters}, columns, left, all) => {
  const title_of = (key) => columns.find((column) => column.key === key).title;
  const by = sort === '' ? '' : `Sorted by ${title_of(sort.replace(/^-/, ''))}, ${sort[0] === '-' ? 'largest' : 'smallest'} first.`;
  const set = Object.entries(filters).map(([key, query]) => `${title_of(key)} “${query}”`).join(' and ');
  return [by, set === '' ? '' : `${left} of ${all} rows match ${set}.`].filter(Boolean).join(' ');
};

// Rows of texts, the first the titles.
const csv_of = (rows) => rows.map((row) =>
  row.map((text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text).join(',')).join('\r\n') + '\r\n';
const markdown_of = ([titles, ...rows], are_numbers) => {
  const line = (row) => `| ${row.map((text) => text.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s*\n\s*/g, ' ')).join(' | ')} |\n`;
  return line(titles) + `|${titles.map((title, at) => are_numbers[at] ? ' ---: |' : ' --- |').join('')}\n` + rows.map(line).join('');
};

// The text that a cell shows when its details are folded.
const text_of = (cell) => [...cell.childNodes].filter((node) => !(node.matches?.('details, .row-anchor'))).map(({textContent}) => textContent)
  .join('').replace(/[\s\u2007\u2008]+/g, ' ').trim();

class TableView {
  constructor(place) {
    this.place = place;
    this.name = place.id.replace(/^table-/, '');
    this.title = document.getElementById(`${place.id}-title`).textContent;
    this.scroll = place.querySelector('.scroll');
    this.table = place.querySelector('table');
    this.headings = [...this.table.tHead.rows[0].cells];
    const titles = this.headings.map(text_of), keys = keys_of(titles), head = this.table.querySelector('[scope=row]').cellIndex;
    this.keys = keys;
    this.columns = this.headings.map((heading, at) => ({
      key: keys[at], title: titles[at], is_number: heading.classList.contains('number'), is_detail: 'detail' in heading.dataset,
      stays: at === 0 || at === head,
    }));
    this.groups = null;
    this.state = kAsReported;
    this.narrow = false;  // without its details: it is wider than its place
    this.sheet = null;
  }

  get row_count() { return this.table.querySelectorAll('tbody tr:not(.group)').length; }

  // The texts of all cells, read when they are first needed.
  read() {
    if (this.groups) return;
    this.groups = [...this.table.tBodies].map((body) => ({
      body, title: body.querySelector('.group')?.textContent ?? '',
      rows: [...body.rows].filter((row) => !row.classList.contains('group')).map((row) => {
        const texts = [...row.cells].map(text_of);
        return {row, texts, values: texts.map(value_of)};
      }),
    }));
    this.rows = this.groups.flatMap(({rows}) => rows);
    this.columns.forEach((column, at) => {
      const texts = this.rows.map((row) => row.texts[at]).filter((text) => text !== '');
      column.is_number ||= texts.length > 0 && texts.every(is_quantity);
    });
  }

  start() {
    this.button = make('button', {type: 'button', className: 'table-button'});
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.menu = make('div', {className: 'table-menu', id: `menu-${this.name}`, popover: 'auto'});
    this.menu.setAttribute('role', 'dialog');
    this.menu.setAttribute('aria-label', `Table: ${this.title}`);
    this.button.setAttribute('popovertarget', this.menu.id);
    this.menu.addEventListener('beforetoggle', ({newState}) => { if (newState === 'open') this.fill_menu(); });
    this.menu.addEventListener('toggle', ({newState}) => { if (newState === 'open') this.place_menu(); });
    this.menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();  // a search field would only be emptied
      this.menu.hidePopover();
      this.button.focus();
    });
    this.status = make('span', {className: 'table-status'});
    this.status.setAttribute('role', 'status');
    this.clear = make('button', {type: 'button', className: 'table-clear', textContent: 'Reset', hidden: true, onclick: () => {
      this.change(kAsReported);
      this.button.focus();
    }});
    this.place.querySelector('.caption').append(this.button, this.menu);
    this.scroll.before(make('p', {className: 'table-line'}, this.status, this.clear));
    this.headings.forEach((heading, at) => {
      const button = make('button', {type: 'button', className: 'sort', onclick: () => this.press(at)}, ...heading.childNodes);
      heading.append(button);
    });
    this.show_columns();
  }

  // Once: ascending, twice: descending, three times: the order of the report.
  press(at) {
    const {key} = this.columns[at], {sort} = this.state;
    this.change({...this.state, sort: sort === key ? `-${key}` : sort === `-${key}` ? '' : key});
  }

  change(state) {
    this.apply(state);
    const here = document.getElementById(page_address.now().id), inside = here && this.place.contains(here);
    page_address.set(values_of(state, this.name, this.keys), inside ? here.id : this.place.id);
  }

  apply(state) {
    const before = this.state;
    this.state = state;
    if (state.sort !== before.sort) this.sort();
    if (JSON.stringify(state.filters) !== JSON.stringify(before.filters)) this.filter();
    if (state.shown?.join() !== before.shown?.join()) {
      this.show_columns();
      fit_all([this]);
    }
    this.say();
  }

  sort() {
    this.read();
    const {sort} = this.state, down = sort[0] === '-', at = this.keys.indexOf(sort.replace(/^-/, ''));
    const order = at < 0 ? null : comparer(at, this.columns[at].is_number, down ? -1 : 1, new Intl.Collator('en', {numeric: true}).compare);
    for (const {body, rows} of this.groups) body.append(...(order ? rows.toSorted(order) : rows).map(({row}) => row));
    this.headings.forEach((heading, i) => {
      if (i === at) heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else heading.removeAttribute('aria-sort');
    });
  }

  filter() {
    this.read();
    const tests = Object.entries(this.state.filters).map(([key, query]) => [this.keys.indexOf(key), kept_by(query)]);
    this.left = 0;
    for (const {row, texts, values} of this.rows) {
      const kept = tests.every(([at, test]) => test(texts[at], values[at]));
      row.classList.toggle('out', !kept);
      this.left += kept;
    }
  }

  is_shown(column) {
    if (column.stays) return true;
    return this.state.shown ? this.state.shown.includes(column.key) : !(this.narrow && column.is_detail);
  }

  show_columns() {
    const hidden = this.columns.flatMap((column, at) => this.is_shown(column) ? [] : [at + 1]);
    const left = this.columns.length - hidden.length, id = CSS.escape(this.place.id);
    if (this.table.classList.contains('two-lines')) this.table.style.setProperty('--columns', left - this.is_shown(this.columns.at(-1)));
    if (hidden.length > 0 && !this.sheet) {
      this.sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
      life.at_end(() => { document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== this.sheet); });
    }
    this.sheet?.replaceSync(hidden.map((at) => `#${id} tr:not(.group) > :nth-child(${at}) { display: none; }`).join('\n'));
    for (const heading of this.table.querySelectorAll('tr.group th')) heading.colSpan = left;
    if (!this.button) return;
    const part = hidden.length === 0 ? '' : `, ${left} of ${this.columns.length} columns`;
    this.button.textContent = `Table${part}`;
    this.button.setAttribute('aria-label', `Table${part}: menu of “${this.title}”`);
  }

  say(done = '') {
    const said = sentence_of(this.state, this.columns, this.left, this.rows?.length ?? 0);
    this.status.textContent = [said, done].filter(Boolean).join(' ');
    this.clear.hidden = said === '' && this.state.shown === null;
  }

  fill_menu() {
    this.read();
    const order = make('select', {onchange: () => this.change({...this.state, sort: order.value})});
    order.add(new Option('the order of the report', ''));
    for (const {key, title} of this.columns) {
      order.add(new Option(`${title}, smallest first`, key));
      order.add(new Option(`${title}, largest first`, `-${key}`));
    }
    order.value = this.state.sort;
    const lines = this.columns.map((column, at) => this.column_line(column, at));
    const action = (text, then) => make('button', {type: 'button', textContent: text, onclick: then});
    this.says = make('p', {className: 'table-says'});
    this.says.setAttribute('role', 'status');
    this.menu.replaceChildren(
      make('label', {className: 'table-order'}, 'Sort by ', order),
      make('fieldset', {}, make('legend', {textContent: 'Columns, and a filter for each'}), ...lines),
      make('p', {textContent: 'Filters: text, =whole text, !not this, <5, >=2 ms, 1..3'}),
      make('div', {className: 'table-actions'},
        action('Copy as CSV', () => this.copy('CSV')), action('Copy as Markdown', () => this.copy('Markdown')),
        action('Save CSV', () => this.save()),
        action('Reset', () => { this.change(kAsReported); this.fill_menu(); this.menu.querySelector('select').focus(); })),
      this.says);
  }

  column_line(column, at) {
    const box = make('input', {type: 'checkbox', checked: this.is_shown(column), disabled: column.stays, onchange: () => {
      this.choose(column, box.checked);
    }});
    const query = make('input', {type: 'search', value: this.state.filters[column.key] ?? '', autocomplete: 'off', spellcheck: false});
    query.setAttribute('aria-label', `Filter ${column.title}`);
    query.placeholder = column.is_number ? 'such as <100' : 'text';
    let waiting = 0;
    query.addEventListener('input', () => {
      life.cancel(waiting);
      waiting = life.after(100, () => this.narrow_by(column, query.value.trim()));
    });
    const line = make('div', {className: 'table-column'}, make('label', {}, box, ` ${column.title}`), query);
    const texts = [...new Set(this.rows.map(({texts}) => texts[at]))].filter((text) => text !== '').sort();
    if (!column.is_number && texts.length < kChoices && texts.every((text) => text.length < 60)) {
      const list = make('datalist', {id: `${this.menu.id}-${column.key}`}, ...texts.map((text) => new Option(text, text)));
      query.setAttribute('list', list.id);
      line.append(list);
    }
    return line;
  }

  choose(column, shown) {
    const keys = this.columns.filter((one) => one === column ? shown : this.is_shown(one)).map(({key}) => key);
    const by_default = this.columns.filter((one) => one.stays || !(this.narrow && one.is_detail)).map(({key}) => key);
    this.change({...this.state, shown: keys.join() === by_default.join() ? null : keys});
  }

  narrow_by(column, query) {
    const {[column.key]: gone, ...others} = this.state.filters;
    this.change({...this.state, filters: query === '' ? others : {...others, [column.key]: query}});
    this.says.textContent = `${this.left} of ${this.rows.length} rows match.`;
  }

  // Below its button, within the window. It scrolls with the page.
  place_menu() {
    const {style} = this.menu, button = this.button.getBoundingClientRect(), width = document.documentElement.clientWidth;
    style.left = `${window.scrollX + Math.max(8, Math.min(button.left, width - this.menu.offsetWidth - 8))}px`;
    style.top = `${window.scrollY + button.bottom + 4}px`;
    this.menu.querySelector('select').focus({preventScroll: true});
    this.menu.scrollIntoView({block: 'nearest', behavior: 'instant'});
  }

  // What is shown, in this order; the heading of a group is a column.
  shown_rows() {
    this.read();
    const columns = this.columns.map((column, at) => ({...column, at})).filter((column) => this.is_shown(column));
    const grouped = this.groups.some(({title}) => title !== ''), by_row = new Map(this.rows.map((one) => [one.row, one]));
    const rows = this.groups.flatMap(({body, title}) => [...body.rows].map((row) => by_row.get(row))
      .filter((one) => one && !one.row.hidden && !one.row.classList.contains('out'))
      .map(({texts}) => [...(grouped ? [title] : []), ...columns.map(({at}) => texts[at])]));
    return {
      rows: [[...(grouped ? ['Group'] : []), ...columns.map(({title}) => title)], ...rows],
      are_numbers: [...(grouped ? [false] : []), ...columns.map(({is_number}) => is_number)],
    };
  }

  async copy(format) {
    const {rows, are_numbers} = this.shown_rows();
    const copied = await copy_text(format === 'CSV' ? csv_of(rows) : markdown_of(rows, are_numbers), this.menu);
    this.says.textContent = copied ? `Copied as ${format}: ${rows.length - 1} rows, ${rows[0].length} columns.` : 'The browser does not allow to copy.';
  }

  save() {
    const {rows} = this.shown_rows(), address = URL.createObjectURL(new Blob([csv_of(rows)], {type: 'text/csv'}));
    make('a', {href: address, download: `${this.name}.csv`}).click();
    life.after(60000, () => URL.revokeObjectURL(address));
    life.at_end(() => URL.revokeObjectURL(address));
    this.says.textContent = `Saved ${this.name}.csv: ${rows.length - 1} rows, ${rows[0].length} columns.`;
  }
}

// A page from disk may lack the clipboard: then the browser copies what is selected.
const copy_text = async (text, inside) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea', {value: text}), before = document.activeElement;
    inside.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    before?.focus();
    return copied;
  }
};

// A table that fits scrolls with the page, its headings stay below the page's bar. A wider one scrolls by itself, and
// first leaves out its details. Widths of all tables are read before any is changed.
const fit_all = (views) => {
  for (const view of views) {
    view.was_narrow = view.narrow;
    view.narrow = false;
    if (view.was_narrow) view.show_columns();
  }
  const is_wide = ({table, scroll}) => Math.max(table.offsetWidth, table.scrollWidth) > scroll.clientWidth + 1;
  const wide = views.filter((view) => is_wide(view));
  for (const view of wide) {
    view.narrow = view.state.shown === null && view.columns.some(({is_detail}) => is_detail);
    if (view.narrow) view.show_columns();
  }
  const still = new Set(wide.filter((view) => is_wide(view)));
  for (const view of views) {
    view.scroll.classList.toggle('wide', still.has(view));
    if (still.has(view)) view.scroll.tabIndex = 0; else view.scroll.removeAttribute('tabindex');
  }
};

// A row's anchor, and the link of a benchmark's row to its plot. Tab reaches one of a table, the arrow keys the others.
const link_row = (row, section) => {
  const head = row.querySelector('[scope=row]'), benchmark = row.dataset.benchmark ?? '';
  const figure = benchmark === '' || benchmark.includes(' ') ? undefined : charts.figure_of(benchmark, section);
  const anchor = make('a', {className: 'anchor row-anchor', href: `#${row.id}`, textContent: '#', tabIndex: -1});
  anchor.setAttribute('aria-label', `Link to the row ${text_of(head)}`);
  const content = [...head.childNodes].filter((node) => !node.matches?.('details'));
  if (figure && !head.querySelector('a'))
    head.prepend(make('a', {className: 'to-plot', href: `#${figure.id}`, title: 'To its plot', tabIndex: -1}, ...content));
  const details = head.querySelector(':scope > details');
  if (details) details.before(anchor); else head.append(anchor);
};
const kRowLinks = '[scope=row] > a';
const link_rows = (place) => {
  const section = place.closest('section');
  for (const row of place.querySelectorAll('tbody tr[id]')) link_row(row, section);
  const first = place.querySelector(kRowLinks);
  if (first) first.tabIndex = 0;
};
const move_in_rows = (event) => {
  const link = event.target.closest?.(kRowLinks), row = link?.closest('tr');
  const steps = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key];
  if (!link || !steps || event.ctrlKey || event.altKey || event.metaKey) return;
  const rows = [...row.closest('table').querySelectorAll('tbody tr[id]')].filter((one) => one.getClientRects().length > 0);
  const links_of = (one) => [...one.querySelectorAll(kRowLinks)], [down, right] = steps;
  const next_row = rows[rows.indexOf(row) + down];
  const next = down !== 0 ? next_row && links_of(next_row).at(link.matches('.row-anchor') ? -1 : 0) : links_of(row)[links_of(row).indexOf(link) + right];
  event.preventDefault();
  if (!next) return;
  link.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

const start = () => {
  const views = [...document.querySelectorAll('.table')].map((place) => new TableView(place));
  const active = views.filter((view) => view.row_count >= kLeastRows), by_scroll = new Map(views.map((view) => [view.scroll, view]));
  for (const view of active) view.start();
  const resized = new ResizeObserver((entries) => {
    const changed = entries.filter(({target, contentRect}) => by_scroll.get(target).width !== contentRect.width);
    for (const {target, contentRect} of changed) by_scroll.get(target).width = contentRect.width;
    fit_all(changed.map(({target}) => by_scroll.get(target)));
  });
  life.observe(resized, ...views.map(({scroll}) => scroll));
  page_address.listen(({id, values}) => {
    const target = document.getElementById(id);
    for (const view of active) {
      view.apply(state_of(values, view.name, view.keys));
      if (target?.matches('tr.out') && view.place.contains(target)) view.change({...view.state, filters: {}});
    }
  });
  life.listen(document, 'keydown', move_in_rows);
  life.listen(document, 'scroll', ({target}) => { target.classList?.toggle('scrolled', target.scrollLeft > 0); }, {capture: true, passive: true});
  life.when_idle(() => {
    for (const {place} of views) link_rows(place);
    fit_all(views);  // anchors take room
  });
};
