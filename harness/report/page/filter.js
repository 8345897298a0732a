// Filters every row and chart of benchmarks. The filter is stored in the address: #section?family=&verdict=&text=.
'use strict';
const kFields = ['text', 'family', 'verdict'];

const rows_of_benchmarks = () => [...document.querySelectorAll('tr[data-benchmark]')].map((row) => ({
  row, table: row.closest('.scroll'), benchmarks: row.dataset.benchmark.split(' '), verdict: row.dataset.verdict ?? '',
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
  new ResizeObserver(update).observe(form);
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

// A typed address may not be valid percent-encoding.
const decoded = (text) => {
  try { return decodeURIComponent(text); } catch { return text; }
};
const parts_of = (hash) => {
  const [id, query = ''] = hash.slice(1).split('?');
  const parameters = new URLSearchParams(query);
  return {id: decoded(id), filter: Object.fromEntries(kFields.map((field) => [field, (parameters.get(field) ?? '').trim()]))};
};
const address = (id, filter) => {
  const set = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  return `#${encodeURIComponent(id)}${set.size === 0 ? '' : `?${set}`}`;
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

// `apply`(filter) resolves when the charts are drawn.
const from_address = (form, apply) => {
  const {id, filter} = parts_of(location.hash);
  fill_form(form, filter);
  const target = document.getElementById(id);
  reveal(target);
  const scroll = () => target?.scrollIntoView({behavior: 'instant'});
  apply(filter).then(scroll);
  scroll();
};

const listen_to_form = (form, apply) => {
  let waiting = 0;
  const read = () => {
    const filter = read_form(form);
    history.replaceState(null, '', address(parts_of(location.hash).id, filter));
    apply(filter);
  };
  const from_form = () => {
    clearTimeout(waiting);
    waiting = setTimeout(read, 120);
  };
  form.addEventListener('input', from_form);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => { setTimeout(() => { from_form(); form.elements.text.focus(); }); });
};

// A link within the page keeps the filter.
const keep_filter = (form, apply) => document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const hash = address(decoded(link.getAttribute('href').slice(1)), read_form(form));
  if (hash === link.getAttribute('href')) return;
  event.preventDefault();
  if (hash === location.hash) from_address(form, apply); else location.hash = hash;
});

const start_filter = () => {
  const form = document.getElementById('filter'), rows = rows_of_benchmarks();
  if (rows.length === 0) return;
  add_options(form, 'family', rows.flatMap(({benchmarks}) => benchmarks.map((name) => name.split('/')[0])));
  add_options(form, 'verdict', rows.map(({verdict}) => verdict));
  form.hidden = false;
  keep_bar_height(form);
  const verdicts_of = verdicts_by_benchmark(rows);
  const apply = (filter) => {
    const matches = matcher(filter, verdicts_of);
    show_status(form, describe(filter), show_rows(rows, matches), rows.length);
    return charts.filter(matches);
  };
  listen_to_form(form, apply);
  keep_filter(form, apply);
  window.addEventListener('hashchange', () => from_address(form, apply));
  if (location.hash.includes('?')) from_address(form, apply);
};
