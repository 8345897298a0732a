// The page's address: #<id>?<name>=<value>&... The id is that of the part that a link leads to. The values are what filters
// and tables show (filter.js, table.js): they survive a reload, and a link within the page keeps them.
'use strict';
// A typed address may not be valid percent-encoding.
const decoded = (text) => {
  try { return decodeURIComponent(text); } catch { return text; }
};
const encoded = (text) => encodeURIComponent(text).replace(/%20/g, '+').replace(/%(2F|2C|3A)/g, decodeURIComponent);

const parts_of = (hash) => {
  const [id, ...queries] = hash.slice(1).split('?');
  const pairs = queries.join('?').split('&').filter((pair) => pair.includes('='));
  return {id: decoded(id), values: Object.fromEntries(pairs.map((pair) =>
    [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)].map((text) => decoded(text.replace(/\+/g, ' ')).trim())))};
};

// Values without text are left out.
const address = (id, values) => {
  const set = Object.entries(values).filter(([, value]) => value !== '').map((pair) => pair.map(encoded).join('='));
  return `#${encodeURIComponent(id)}${set.length === 0 ? '' : `?${set.join('&')}`}`;
};

// Opens a closed part, what the target is folded in, and marks a row.
const reveal = (target) => {
  for (const row of document.querySelectorAll('tr.marked')) row.classList.remove('marked');
  const part = target?.querySelector(':scope > details.part') ?? target?.closest('details');
  for (let folded = part; folded; folded = folded.parentElement.closest('details')) folded.open = true;
  if (!target?.matches('tr')) return;
  target.classList.add('marked');
  for (const folded of target.querySelectorAll('details')) folded.open = true;
};

const scroll_to = (target) => target?.scrollIntoView({behavior: 'instant', block: target.matches('tr') ? 'center' : 'start'});

const start = () => {
  const listeners = [], now = () => parts_of(location.hash);
  const arrive = (waiting) => {
    const target = document.getElementById(now().id);
    reveal(target);
    scroll_to(target);
    if (waiting.length > 0) Promise.all(waiting).then(() => scroll_to(target));
  };
  const follow = () => arrive(listeners.map((then) => then(now())));
  let first = [];  // what the listeners of a page that is opened wait for
  life.listen(window, 'hashchange', follow);
  life.listen(document, 'click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const hash = address(decoded(link.getAttribute('href').slice(1)), now().values);
    event.preventDefault();
    if (hash === location.hash) follow(); else location.hash = hash;
  });
  return {
    now,
    // Of a page that is opened: its target is shown.
    arrive() { if (location.hash !== '') arrive(first); },
    // Of a page whose content is new: its target is marked, the reader stays where they are.
    mark() { if (location.hash !== '') reveal(document.getElementById(now().id)); },
    // Calls then({id, values}) when the page is opened with values, and whenever its address changes. `then` may return a
    // promise: the page scrolls to its target again when it is kept.
    listen(then) {
      listeners.push(then);
      if (location.hash.includes('?')) first = [...first, then(now())];
    },
    // Sets some values, and removes those that are ''. `id`: what the address leads to from now on.
    set(values, id = now().id) {
      history.replaceState(null, '', address(id, {...now().values, ...values}));
    },
  };
};
