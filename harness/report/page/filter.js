// Filters every row and chart of benchmarks. The filter is in the address (address.js): #section?family=&verdict=&text=.
'use strict';
const kFields = ['text', 'family', 'verdict'];

const rows_of_benchmarks = () => [...document.querySelectorAll('tr[data-benchmark]')].map((row) => ({
  row, table: row.closest('.table'), benchmarks: row.dataset.benchmark.split(' '), verdict: row.dataset.verdict ?? '',
}));

const add_options = (form, field, all) => {
  const values = [...new Set(all)].filter((value) => value !== ''), select = form.elements[field];
  for (const value of values) select.add(new Option(value, value));
  select.parentElement.hidden = values.length < 2;
};

// The target of an address must appear below the filter, whatever the filter's height.
const keep_bar_height = (form) => {
  const update = () => {
    const height = getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
    document.documentElement.style.setProperty('--bar', `${height}px`);
  };
  life.observe(new ResizeObserver(update), form);
  update();
};

// By benchmark, its verdicts in all tables.
const verdicts_by_benchmark = (rows) => {
  const verdicts_of = new Map();
  for (const {benchmarks, verdict} of rows)
    for (const name of benchmarks) verdicts_of.set(name, (verdicts_of.get(name) ?? new Set()).add(verdict));
  return verdicts_of;
};

// A row without a verdict, such as a time, matches by the verdicts that its benchmark has in other tables.
const matcher = ({text, family, verdict}, verdicts_of) => (benchmarks, own) =>
  (!verdict || !own || own === verdict) &&
  benchmarks.some((name) => name.toLowerCase().includes(text.toLowerCase()) && (!family || name.startsWith(`${family}/`)) &&
    (!verdict || own === verdict || verdicts_of.get(name)?.has(verdict)));

const describe = ({text, family, verdict}) => [
  text && `name “${text}”`, family && `family ${family}`, verdict && `verdict ${verdict}`,
].filter(Boolean).join(', ');

const status_of = (description, shown, all) => description === '' ? '' :
  shown === 0 ? `No benchmark matches ${description}. Clear the filter to see all benchmarks.` :
  `Filtered by ${description}: ${shown} of ${all} rows are shown.`;

const note_of = (table) => {
  if (table.nextElementSibling?.className !== 'nothing')
    table.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No row of this table matches the filter.</p>');
  return table.nextElementSibling;
};

// Returns the number of shown rows.
const show_rows = (rows, matches) => {
  const left = new Map();  // number of shown rows by table
  for (const {row, table, benchmarks, verdict} of rows) {
    row.hidden = !matches(benchmarks, verdict);
    left.set(table, (left.get(table) ?? 0) + !row.hidden);
  }
  for (const [table, count] of left) {
    table.hidden = count === 0;
    note_of(table).hidden = count > 0;
  }
  return [...left.values()].reduce((sum, count) => sum + count, 0);
};

const show_status = (form, description, shown, all) => {
  const status = document.getElementById('filter-status');
  form.elements.clear.hidden = description === '';
  status.classList.toggle('none', shown === 0);
  status.textContent = status_of(description, shown, all);
};

const read_form = (form) => Object.fromEntries(kFields.map((field) => [field, form.elements[field].value.trim()]));
const fill_form = (form, filter) => {
  for (const field of kFields) {
    const input = form.elements[field];
    // A value that this page does not have is added: it matches nothing, and the status says so.
    if (input.options && filter[field] && ![...input.options].some(({value}) => value === filter[field]))
      input.add(new Option(filter[field], filter[field]));
    input.value = filter[field];
  }
};

const listen_to_form = (form, apply) => {
  let waiting = 0;
  const from_form = () => {
    page_address.set(read_form(form));
    life.cancel(waiting);
    waiting = life.after(120, () => apply(read_form(form)));
  };
  life.listen(form, 'input', from_form);
  life.listen(form, 'submit', (event) => event.preventDefault());
  life.listen(form, 'reset', () => { life.after(0, () => { from_form(); form.elements.text.focus(); }); });
};

// A section whose rows and figures are all filtered out is hidden with its headings and its links in the contents.
const show_sections = () => {
  for (const section of document.querySelectorAll('main section')) {
    const left = section.querySelector('.table:not([hidden]), figure:not([hidden]), .matrix');
    section.hidden = left === null && section.querySelector('.table[hidden], figure[hidden]') !== null;
    for (const link of document.querySelectorAll(`nav a[href="#${CSS.escape(section.id)}"]`)) link.parentElement.hidden = section.hidden;
  }
};

// A live page keeps the form when its content is new.
const empty = (form) => {
  form.hidden = true;
  for (const select of form.querySelectorAll('select')) select.length = 1;
  document.documentElement.style.removeProperty('--bar');
  show_status(form, '', 0, 0);
};

const start = () => {
  const form = document.getElementById('filter'), rows = rows_of_benchmarks();
  if (rows.length === 0 || document.querySelector('[data-grid]')) return;  // a grid has a filter of its own
  add_options(form, 'family', rows.flatMap(({benchmarks}) => benchmarks.map((name) => name.split('/')[0])));
  add_options(form, 'verdict', rows.map(({verdict}) => verdict));
  form.hidden = false;
  life.at_end(() => empty(form));
  keep_bar_height(form);
  const verdicts_of = verdicts_by_benchmark(rows);
  const apply = async (filter) => {
    const matches = matcher(filter, verdicts_of);
    show_status(form, describe(filter), show_rows(rows, matches), rows.length);
    show_sections();
    await charts.filter(matches);
    show_sections();
  };
  listen_to_form(form, apply);
  page_address.listen(({values}) => {
    const filter = Object.fromEntries(kFields.map((field) => [field, values[field] ?? '']));
    fill_form(form, filter);
    return apply(filter);
  });
};
