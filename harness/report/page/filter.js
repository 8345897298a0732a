// Filters every row and chart of benchmarks. The filter is stored in the address: #section?family=&verdict=&text=.
'use strict';
(() => {
  const form = document.getElementById('filter');
  const status = document.getElementById('filter-status');
  const kFields = ['text', 'family', 'verdict'];
  const rows = [...document.querySelectorAll('tr[data-benchmark]')].map((row) => ({
    row, table: row.closest('.scroll'), benchmarks: row.dataset.benchmark.split(' '), verdict: row.dataset.verdict ?? '',
  }));
  if (rows.length === 0) return;

  const unique = (values) => [...new Set(values)].filter((value) => value !== '');
  const add_options = (field, values) => {
    const select = form.elements[field];
    for (const value of values) select.add(new Option(value, value));
    select.parentElement.hidden = values.length < 2;
  };
  add_options('family', unique(rows.flatMap(({benchmarks}) => benchmarks.map((name) => name.split('/')[0]))));
  add_options('verdict', unique(rows.map(({verdict}) => verdict)));
  form.hidden = false;

  // The target of an address must appear below the filter, whatever the filter's height.
  const update_bar_height = () => {
    const height = getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
    document.documentElement.style.setProperty('--bar', `${height}px`);
  };
  new ResizeObserver(update_bar_height).observe(form);
  update_bar_height();

  // A row without a verdict, such as a time, matches by the verdicts that its benchmark has in other tables.
  const verdicts_of = new Map();
  for (const {benchmarks, verdict} of rows)
    for (const name of benchmarks) verdicts_of.set(name, (verdicts_of.get(name) ?? new Set()).add(verdict));

  const matcher = ({text, family, verdict}) => (benchmarks, own) =>
    (!verdict || !own || own === verdict) &&
    benchmarks.some((name) => name.toLowerCase().includes(text.toLowerCase()) && (!family || name.startsWith(`${family}/`)) &&
      (!verdict || own === verdict || verdicts_of.get(name)?.has(verdict)));

  const describe = ({text, family, verdict}) => [
    text && `name “${text}”`, family && `family ${family}`, verdict && `verdict ${verdict}`,
  ].filter(Boolean).join(', ');

  const note_of = (table) => {
    if (table.nextElementSibling?.className !== 'nothing')
      table.insertAdjacentHTML('afterend', '<p class="nothing" hidden>No row of this table matches the filter.</p>');
    return table.nextElementSibling;
  };

  // Resolves when the charts are drawn.
  const apply = (filter) => {
    const matches = matcher(filter);
    const left = new Map();  // number of shown rows by table
    for (const {row, table, benchmarks, verdict} of rows) {
      row.hidden = !matches(benchmarks, verdict);
      left.set(table, (left.get(table) ?? 0) + !row.hidden);
    }
    for (const [table, count] of left) {
      table.hidden = count === 0;
      note_of(table).hidden = count > 0;
    }
    const shown = [...left.values()].reduce((sum, count) => sum + count, 0);
    const description = describe(filter);
    form.elements.clear.hidden = description === '';
    status.classList.toggle('none', shown === 0);
    status.textContent = description === '' ? '' :
      shown === 0 ? `No benchmark matches ${description}. Clear the filter to see all benchmarks.` :
      `Filtered by ${description}: ${shown} of ${rows.length} rows are shown.`;
    return charts.filter(matches);
  };

  // A typed address may not be valid percent-encoding.
  const decoded = (text) => {
    try { return decodeURIComponent(text); } catch { return text; }
  };
  const read_address = () => {
    const [id, query = ''] = location.hash.slice(1).split('?');
    const parameters = new URLSearchParams(query);
    return {id: decoded(id), filter: Object.fromEntries(kFields.map((field) => [field, (parameters.get(field) ?? '').trim()]))};
  };
  const read_form = () => Object.fromEntries(kFields.map((field) => [field, form.elements[field].value.trim()]));
  const address = (id, filter) => {
    const set = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
    return `#${encodeURIComponent(id)}${set.size === 0 ? '' : `?${set}`}`;
  };

  const from_address = () => {
    const {id, filter} = read_address();
    for (const field of kFields) {
      const input = form.elements[field];
      // A value that this page does not have is added: it matches nothing, and the status says so.
      if (input.options && filter[field] && ![...input.options].some(({value}) => value === filter[field]))
        input.add(new Option(filter[field], filter[field]));
      input.value = filter[field];
    }
    const target = document.getElementById(id), folded = target?.closest('details');
    if (folded) folded.open = true;
    const scroll = () => target?.scrollIntoView({behavior: 'instant'});
    apply(filter).then(scroll);
    scroll();
  };

  let waiting = 0;
  const from_form = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const filter = read_form();
      history.replaceState(null, '', address(read_address().id, filter));
      apply(filter);
    }, 120);
  };
  form.addEventListener('input', from_form);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => { setTimeout(() => { from_form(); form.elements.text.focus(); }); });

  // A link within the page keeps the filter.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const hash = address(decoded(link.getAttribute('href').slice(1)), read_form());
    if (hash === link.getAttribute('href')) return;
    event.preventDefault();
    if (hash === location.hash) from_address(); else location.hash = hash;
  });
  window.addEventListener('hashchange', from_address);
  if (location.hash.includes('?')) from_address();
})();
