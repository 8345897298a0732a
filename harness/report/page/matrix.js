// Fills each matrix: a table of queries by columns that renders only the cells in its window. Data: atlas_matrix.h.
'use strict';
(() => {
  const kRow = 44, kCell = 118;  // pixels
  const kBeyond = 4;  // rows and columns rendered outside of the window, for a quick scroll
  const kSizes = {'': [0, Infinity], 'up to 16 texels': [0, 16], '17 to 256 texels': [17, 256], 'over 256 texels': [257, Infinity]};
  const grouped = new Intl.NumberFormat('en-US');

  const element = (className, role, text = '') => {
    const made = document.createElement('div');
    made.className = className;
    made.setAttribute('role', role);
    made.textContent = text;
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
    return rows.filter((row) => row.query.toLowerCase().includes(text.toLowerCase()) && (!format || row.format === format) &&
      (!size || (row.extent !== null && row.extent >= least && row.extent <= most)));
  };
  const matches = (member, {driver, chip}) => (!driver || member.driver === driver) && (!chip || member.chip === chip);
  const shown_columns = (columns, filter) => columns.filter(({members}) => members.some((member) => matches(member, filter)));

  const all = JSON.parse(document.getElementById('matrices').textContent);
  for (const matrix of document.querySelectorAll('.matrix')) {
    const data = all[matrix.dataset.matrix];
    const rows = rows_of(data), members = data.columns.flatMap((column) => column.members);
    const form = matrix.querySelector('form'), status = matrix.querySelector('.matrix-status');
    const view = matrix.querySelector('.matrix-window');
    const head = element('matrix-head', 'row'), body = element('matrix-body', 'rowgroup');
    const first = () => parseFloat(getComputedStyle(view).getPropertyValue('--first'));
    let left = [], across = [], drawn = '';

    const unique = (values) => [...new Set(values)].filter((value) => value !== '').sort();
    const add_options = (field, values) => { for (const value of values) form.elements[field].add(new Option(value, value)); };
    add_options('driver', unique(members.map(({driver}) => driver)));
    add_options('chip', unique(members.map(({chip}) => chip)));
    add_options('format', unique(data.blocks.map(({format}) => format)));
    add_options('size', Object.keys(kSizes).filter((size) => size !== ''));

    const placed = (made, at) => {
      made.style.left = `${first() + at * kCell}px`;
      return made;
    };
    const cell = (column, row, at) => {
      const found = answer(data, column, row);
      const made = placed(element('matrix-cell', 'cell'), at);
      made.setAttribute('aria-colindex', at + 2);
      if (found?.refused !== undefined) {
        made.textContent = 'refused';
        made.title = found.refused;
        made.classList.add('refused');
      } else if (found) {
        made.textContent = grouped.format(found.size);
        const alignment = document.createElement('small');
        alignment.textContent = `at ${grouped.format(found.alignment)}`;
        made.append(alignment);
      }
      return made;
    };
    // The size, and below it the kind of image or buffer, which may be cut.
    const name = (query) => {
      const [, size, kind] = /^(\S+ bytes?|\S+),? ?(.*)$/.exec(query);
      const made = element('matrix-name', 'rowheader', size);
      const small = document.createElement('small');
      small.textContent = kind;
      made.append(small);
      made.title = query;
      return made;
    };
    const from_to = (start, length, step, count) => [
      Math.max(0, Math.floor(start / step) - kBeyond), Math.min(count, Math.ceil((start + length) / step) + kBeyond)];

    const render = () => {
      const [top, bottom] = from_to(view.scrollTop, view.clientHeight, kRow, left.length);
      const [start, end] = from_to(view.scrollLeft, view.clientWidth, kCell, across.length);
      const now = [top, bottom, start, end].join();
      if (now === drawn) return;
      drawn = now;
      const corner = element('matrix-name', 'columnheader', 'Query: bytes at alignment');
      head.replaceChildren(corner, ...across.slice(start, end).map((column, at) => {
        const made = placed(element('matrix-cell', 'columnheader', column.label), start + at);
        made.setAttribute('aria-colindex', start + at + 2);
        made.title = column.members.map(({name}) => name).join('\n');
        return made;
      }));
      body.replaceChildren(...left.slice(top, bottom).map((row, at) => {
        const line = element('matrix-row', 'row');
        line.style.top = `${(top + at) * kRow}px`;
        line.setAttribute('aria-rowindex', top + at + 2);
        line.append(name(row.query));
        for (let i = start; i < end; ++i) line.append(cell(across[i], row, i));
        return line;
      }));
    };

    const apply = () => {
      const filter = Object.fromEntries(['text', 'driver', 'chip', 'format', 'size'].map((field) => [field, form.elements[field].value.trim()]));
      left = shown_rows(rows, filter);
      across = shown_columns(data.columns, filter);
      const of_columns = across.flatMap((column) => column.members).filter((member) => matches(member, filter));
      const width = `${first() + across.length * kCell}px`;
      head.style.width = body.style.width = width;
      body.style.height = `${left.length * kRow}px`;
      view.setAttribute('aria-rowcount', left.length + 1);
      view.setAttribute('aria-colcount', across.length + 1);
      view.hidden = left.length === 0 || across.length === 0;
      status.textContent = view.hidden ? 'No answer matches. Clear the filter to see all.' :
        `${left.length} of ${rows.length} queries; ${of_columns.length} of ${members.length} driver columns, those with equal answers in one.`;
      const filtered = filter.driver !== '' || filter.chip !== '';
      form.elements.clear.hidden = Object.values(filter).every((value) => value === '');
      drawn = '';
      view.scrollTop = view.scrollLeft = 0;
      render();
      charts.choose(filtered ? new Set(of_columns.map(({index}) => index)) : null);
    };

    view.replaceChildren(head, body);
    form.addEventListener('input', apply);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(apply));
    view.addEventListener('scroll', () => requestAnimationFrame(render));
    new ResizeObserver(() => { drawn = ''; render(); }).observe(view);
    form.hidden = false;
    matrix.querySelector('.matrix-static').hidden = true;
    view.hidden = false;
    apply();
  }
})();
