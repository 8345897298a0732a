// make(tag, properties, children...): an element, for all scripts of the page.
'use strict';
document.documentElement.classList.add('scripted');
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
