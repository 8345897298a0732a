// make(tag, properties, children...): an element, for all scripts of the page.
'use strict';
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// Opens what a link leads to, and what encloses it. The closed parts of a page are of its reader's choice.
const reveal = (target) => {
  for (let closed = target?.querySelector(':scope > details.part') ?? target?.closest('details'); closed; closed = closed.parentElement.closest('details'))
    closed.open = true;
};
const reveal_address = () => {
  let id = location.hash.slice(1).split('?')[0];
  try { id = decodeURIComponent(id); } catch { /* typed by hand */ }
  const target = document.getElementById(id);
  if (!target) return;
  reveal(target);
  target.scrollIntoView({behavior: 'instant'});
};
window.addEventListener('hashchange', reveal_address);
reveal_address();
