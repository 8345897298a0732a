// Sorts the rows of each group of a sortable table by a column. Without scripts the order is that of the report.
'use strict';
for (const table of document.querySelectorAll('table[data-sortable]')) {
  const headings = [...table.querySelectorAll('thead th')];
  const groups = [...table.tBodies].map((body) => ({body, rows: [...body.rows].filter((row) => !row.classList.contains('group'))}));
  const text_of = (row, column) => row.cells[column].textContent.replace(/[\s\u2007\u2008]+/g, ' ').trim();
  const number_of = (text) => /^[\d.,]/.test(text) ? Number.parseFloat(text.replaceAll(',', '')) : NaN;

  // Negative if `a` comes first. Cells without text are last in either direction.
  const compare = (column, direction) => {
    const is_number = headings[column].classList.contains('number');
    return (a, b) => {
      const [left, right] = [a, b].map((row) => text_of(row, column));
      if (left === '' || right === '') return (left === '') - (right === '');
      if (!is_number) return direction * left.localeCompare(right);
      const [x, y] = [left, right].map(number_of);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return direction * (x - y);
    };
  };

  const status = document.createElement('p');
  status.className = 'sort-status';
  status.setAttribute('role', 'status');
  table.closest('.scroll').before(status);

  // `column` -1: the order of the report.
  const sort = (column, direction) => {
    for (const {body, rows} of groups) body.append(...column < 0 ? rows : rows.toSorted(compare(column, direction)));
    headings.forEach((heading, at) => {
      if (at === column) heading.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      else heading.removeAttribute('aria-sort');
    });
    choice.value = column < 0 ? '' : `${column} ${direction}`;
    status.firstChild.data = column < 0 ? '' : `Sorted by ${headings[column].textContent}, ${direction > 0 ? 'smallest first' : 'largest first'}. `;
  };

  // A phone shows cards, without headings to press.
  const label = document.createElement('label');
  const choice = document.createElement('select');
  label.className = 'sort-choice';
  label.append('Sort by ', choice);
  choice.add(new Option('the order of the report', ''));
  headings.forEach((heading, at) => {
    for (const [direction, words] of [[1, 'smallest first'], [-1, 'largest first']])
      choice.add(new Option(`${heading.textContent}, ${words}`, `${at} ${direction}`));
  });
  choice.addEventListener('change', () => {
    const [column, direction] = choice.value === '' ? [-1, 1] : choice.value.split(' ').map(Number);
    sort(column, direction);
  });
  status.append('', label);
  if (!(status.firstChild instanceof Text)) status.prepend(document.createTextNode(''));

  headings.forEach((heading, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => {
      const order = heading.getAttribute('aria-sort');  // once: ascending, twice: descending, three times: as it was
      sort(order === 'descending' ? -1 : at, order === 'ascending' ? -1 : 1);
    });
  });
}
