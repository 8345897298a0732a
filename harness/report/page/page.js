// make(tag, properties, children...): an element, for all scripts of the page. lab: the page's modules (scripts.js), by name.
'use strict';
document.documentElement.classList.add('scripted');
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// What modules start on the document, the window or the clock belongs to a life and ends with it: a live page ends one
// before it replaces its content or a module, and begins another. What they start on elements goes with these.
const new_life = () => {
  const gone = new AbortController(), timers = new Set(), idle = new Set(), ends = [];
  const {signal} = gone;
  return {
    signal,
    listen(target, type, then, options = {}) { target.addEventListener(type, then, {...options, signal}); },
    after(milliseconds, then) {
      const timer = setTimeout(() => { timers.delete(timer); then(); }, milliseconds);
      timers.add(timer);
      return timer;
    },
    cancel(timer) {
      clearTimeout(timer);
      timers.delete(timer);
    },
    when_idle(then) {
      if (!window.requestIdleCallback) return void this.after(200, then);
      const handle = requestIdleCallback(() => { idle.delete(handle); then(); });
      idle.add(handle);
    },
    observe(observer, ...targets) {
      for (const target of targets) observer.observe(target);
      ends.push(() => observer.disconnect());
    },
    at_end(then) { ends.push(then); },
    end() {
      gone.abort();
      for (const timer of timers) clearTimeout(timer);
      for (const handle of idle) cancelIdleCallback(handle);
      for (const then of ends) then();
    },
  };
};

globalThis.lab = {
  make, new_life,
  modules: new Map(),  // in the order in which they start; a new one of the same name takes its place
  parts: {},           // what each module gives to those after it
  define(name, module) { this.modules.set(name, module); },
  start(life) {
    this.parts = {};
    for (const [name, module] of this.modules) this.parts[name] = module(life, make, this.parts.address, this.parts.figures);
  },
};
