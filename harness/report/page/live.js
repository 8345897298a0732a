// The shell of a live page: owns its connection, its timer, its content and the life of its modules (page.js). When the farm
// has changed, it asks for the address's part and replaces what differs, while a reader stays where they are. What they chose
// is in the address and in what `kept` finds. With `serve --develop`, a saved script, style or chart takes its place at once;
// while a script is broken, the last good one runs on.
'use strict';
(() => {
const kPoll = 5000, kRetry = 1000, kTrial = 2000;  // ms
const kTexts = ['header', 'contents', 'main', 'footer'], kData = ['charts', 'matrices', 'replays'];
const kShell = ['live.js', 'live_worker.js', 'page.js', 'scripts.js', 'page.html'];
const element = (id) => document.getElementById(id);
const place_of = (text) => ({header: document.querySelector('header'), contents: element('contents'), main: element('main'), footer: document.querySelector('footer')})[text];
const normal = (html) => Object.assign(document.createElement('template'), {innerHTML: html}).innerHTML;
const clock = () => new Date().toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'});
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

let life = null, shown = null, etag = null, version = 0, build = null, there = null;

// The one timer: a later call takes an earlier one's place.
let timer = 0;
const after = (milliseconds, then) => {
  clearTimeout(timer);
  timer = setTimeout(then, milliseconds);
};

// ---- what a reader sees and has chosen, by the nearest id, so that it is found in new content ----
const place_in = (one) => {
  if (one.id) return {id: one.id};
  const root = one.closest('[id]') ?? document.body;
  return {root: root.id, tag: one.tagName, at: [...root.querySelectorAll(one.tagName)].indexOf(one)};
};
const found_at = ({id, root, tag, at}) => id ? element(id) : (root === '' ? document.body : element(root))?.querySelectorAll(tag)[at] ?? null;
const kScrolls = '.scroll, pre, .matrix-window, .grid-window, .table-menu fieldset';
const outside_grids = (selector) => [...document.querySelectorAll(selector)].filter((one) => !one.closest('[data-grid], #filter, .zoom, .table-menu'));
const is_changed = (one) => one.matches('select') ? [...one.options].some((option) => option.selected !== option.defaultSelected) :
  one.type === 'checkbox' || one.type === 'radio' ? one.checked !== one.defaultChecked : one.value !== one.defaultValue;

const kept_selection = () => {
  const selection = getSelection(), {anchorNode, focusNode} = selection;
  if (selection.isCollapsed || !anchorNode || !element('main').contains(anchorNode) || !element('main').contains(focusNode)) return null;
  const root = anchorNode.parentElement.closest('[id]'), offset = (node, at) => {
    const range = new Range();
    range.setStart(root, 0);
    range.setEnd(node, at);
    return range.toString().length;
  };
  return root.contains(focusNode) ? {id: root.id, text: root.textContent, from: offset(anchorNode, selection.anchorOffset), to: offset(focusNode, selection.focusOffset)} : null;
};
const restore_selection = ({id, text, from, to}) => {
  const root = element(id);
  if (root?.textContent !== text) return;
  const at = (wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let left = wanted, node = walker.nextNode(), last = node;
    for (; node && left > node.length; node = walker.nextNode()) { left -= node.length; last = node; }
    return node ? [node, left] : [last, last.length];
  };
  getSelection().setBaseAndExtent(...at(from), ...at(to));
};

const kept = () => {
  const active = document.activeElement, anchor = [...element('main').querySelectorAll('[id]')].find((one) => {
    const box = one.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.top < innerHeight;
  });
  return {
    scroll: [scrollX, scrollY], anchor: anchor ? {id: anchor.id, top: anchor.getBoundingClientRect().top} : null,
    scrolls: [...document.querySelectorAll(kScrolls)].filter(({scrollTop, scrollLeft}) => scrollTop > 0 || scrollLeft > 0)
      .map((one) => [place_in(one), one.scrollTop, one.scrollLeft]),
    details: [...document.querySelectorAll('main details, header details')].map((one) => [place_in(one), one.open]),
    controls: outside_grids('main :is(input, select, textarea)').filter(is_changed).map((one) => [place_in(one), one.value, one.checked]),
    expanded: outside_grids('main button[aria-expanded=true]').map(place_in),
    menu: document.querySelector('.table-menu:popover-open')?.id ?? null,
    focus: active && active !== document.body ? {...place_in(active), selection: 'selectionStart' in active ? [active.selectionStart, active.selectionEnd] : null} : null,
    selection: kept_selection(),
  };
};
const restore = (was) => {
  for (const [place, open] of was.details) {
    const one = found_at(place);
    if (one && one.open !== open) one.open = open;
  }
  for (const [place, value, checked] of was.controls) {
    const one = found_at(place);
    if (!one || (one.value === value && one.checked === checked)) continue;
    Object.assign(one, one.type === 'checkbox' || one.type === 'radio' ? {checked} : {value});
    for (const type of ['input', 'change']) one.dispatchEvent(new Event(type, {bubbles: true}));
  }
  for (const place of was.expanded) {
    const one = found_at(place);
    if (one?.getAttribute('aria-expanded') === 'false') one.click();
  }
  if (was.menu) element(was.menu)?.showPopover?.();
  for (const [place, top, left] of was.scrolls) {
    const one = found_at(place);
    if (one) Object.assign(one, {scrollTop: top, scrollLeft: left});
  }
  if (was.focus) {
    const one = found_at(was.focus);
    if (one && one !== document.activeElement) {
      one.focus({preventScroll: true});
      try { if (was.focus.selection?.[0] != null) one.setSelectionRange(...was.focus.selection); } catch { /* no text field */ }
    }
  }
  if (was.selection) restore_selection(was.selection);
  const target = was.anchor ? element(was.anchor.id) : null;
  const [left, top] = was.scroll;
  window.scrollTo({left, top: top > 0 && target ? scrollY + target.getBoundingClientRect().top - was.anchor.top : top, behavior: 'instant'});
};

// ---- content ----
const content_of_page = () => ({
  title: document.title, ...Object.fromEntries(kTexts.map((name) => [name, place_of(name).innerHTML])),
  ...Object.fromEntries(kData.map((name) => [name, JSON.parse(element(name).textContent)])),
  data: Object.fromEntries([...document.querySelectorAll('[data-grid]')].map(({id}) => [id, JSON.parse(element(`${id}-data`)?.textContent ?? 'null')])),
});

// A figure shows its last drawing until the new one is there; a grid goes on in the new content.
const put_main = (html) => {
  const main = element('main'), old = [...main.childNodes];
  const fresh = Object.assign(document.createElement('template'), {innerHTML: html}).content;
  for (const figure of fresh.querySelectorAll('figure[data-chart]')) {
    const drawn = main.querySelector(`figure[id="${CSS.escape(figure.id)}"] .plot:has(> svg)`), plot = figure.querySelector('.plot');
    if (!drawn) continue;
    plot.className = drawn.className;
    plot.replaceChildren(drawn.querySelector('svg'));
  }
  const grids = [...main.querySelectorAll('[data-grid]')];
  main.append(fresh);
  for (const grid of grids) {
    const place = [...main.querySelectorAll('[data-grid]')].find((one) => one.id === grid.id && one !== grid);
    if (!place) continue;
    if (main.moveBefore) place.parentNode.moveBefore(grid, place); else place.before(grid);
    place.remove();
  }
  for (const node of old) node.remove();
};
const put = (content) => {
  for (const name of kTexts) if (name !== 'main') place_of(name).innerHTML = content[name];
  put_main(content.main);
  for (const name of kData) {
    const text = JSON.stringify(content[name]);
    if (element(name).textContent !== text) element(name).textContent = text;
  }
  document.title = content.title;
  lab.data = content.data;
};

// Ends the modules and starts them on `content`. The error that a module threw; null: none.
const restart = (content) => {
  const was = kept();
  life.end();
  life = lab.new_life();
  put(content);
  shown = content;
  const problem = started();
  lab.parts.address?.mark();
  restore(was);
  return problem;
};
const started = () => {
  try {
    lab.start(life);
    return null;
  } catch (error) {
    return error;
  }
};

// A page without charts comes without Vega.
const with_vega = (content) => globalThis.vega || Object.keys(content.charts).length === 0 ? null : load('vega.js');

const differs = (a, b, names) => names.some((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
const show = async (content) => {
  for (const name of kTexts) content[name] = normal(content[name]);
  await with_vega(content);
  if (differs(content, shown, ['title', ...kTexts, ...kData])) {
    const problem = restart(content);
    if (problem) show_problem(problem_of(problem));
    return;
  }
  if (!differs(content, shown, ['data'])) return;
  shown = content;
  lab.data = content.data;
  for (const [id, data] of Object.entries(content.data)) lab.parts.grid?.take(id, data);
};

let asking = false, again = false;
const refresh = async () => {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    do {
      again = false;
      await ask();
    } while (again);
  } finally {
    asking = false;
  }
};
const ask = async () => {
  const address = new URL(location.href);
  address.hash = '';
  address.searchParams.set('part', '1');
  let answer;
  try {
    answer = await fetch(address, {cache: 'no-store', headers: etag ? {'If-None-Match': etag} : {}});
  } catch {
    after(kRetry, refresh);  // if the server is away, its return tells, too
    return;
  }
  if (answer.status === 304) return;
  if (answer.status === 503) {
    after(1000 * (Number(answer.headers.get('Retry-After')) || 1), refresh);
    await say_reading();
    return;
  }
  if (!answer.headers.get('Content-Type')?.startsWith('application/json')) throw new Error(`the server answered ${answer.status}`);
  const content = await answer.json();
  etag = answer.ok ? answer.headers.get('ETag') : null;
  version = content.version ?? version;
  await show(content);
};
const say_reading = async () => {
  try {
    const {read, to_read, problem} = await (await fetch('api/status', {cache: 'no-store'})).json();
    if (problem || to_read) say(problem || `Reading results: ${read} of ${to_read}.`);
  } catch { /* asked again */ }
};

// ---- the line at the foot ----
const say = (text, lost = false) => {
  element('live').hidden = false;
  element('live').classList.toggle('lost', lost);
  if (element('live-status').textContent !== text) element('live-status').textContent = text;
};
let updated = '';
const say_state = () => {
  if (there === false) say(`No connection to the server since ${clock()}. The page goes on by itself when it is back.`, true);
  else say(`Live. ${updated}`.trim());
};
const time_of = (text) => new Date(text).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'});
const item_of = ({machine, started, blocks, processes, failures, budget_seconds, here}) => {
  const item = document.createElement('li'), name = document.createElement('strong');
  name.textContent = machine;
  const passed = (Date.now() - Date.parse(started)) / 1000, left = budget_seconds > 0 ? Math.max(0, budget_seconds - passed) : null;
  const parts = [`${here ? 'here, ' : ''}since ${time_of(started)}`, blocks > 0 ? `block ${blocks}` : '', count(processes ?? 0, 'process', 'processes'),
    failures > 0 ? count(failures, 'failure') : '', left === null ? '' : `${Math.ceil(left / 60)} min left`];
  item.append(name, ` measures: ${parts.filter(Boolean).join(', ')}`);
  if (left !== null) {
    const bar = Object.assign(document.createElement('progress'), {max: budget_seconds, value: Math.min(passed, budget_seconds)});
    bar.setAttribute('aria-label', `${machine}: share of its time`);
    item.append(' ', bar);
  }
  return item;
};
const show_running = ({running}) => {
  element('live-running').replaceChildren(...(running ?? []).map(item_of));
  say_state();
};

// ---- a broken script ----
const problem_of = (error) => {
  const [, file, line] = /\/([\w.]+\.js)(?:\?[^:\s]*)?:(\d+)(?::\d+)?\)?/.exec(error?.stack ?? '') ?? [];
  return {message: String(error?.message ?? error), file: file ?? '', line: line ?? ''};
};
const show_problem = ({message, file, line}) => {
  const box = element('live-problem') ?? document.body.appendChild(Object.assign(document.createElement('div'), {id: 'live-problem'}));
  const title = document.createElement('strong'), text = document.createElement('pre'), note = document.createElement('p');
  title.textContent = file ? `${file}${line ? `:${line}` : ''}` : 'A script of this page';
  text.textContent = message;
  text.tabIndex = 0;
  note.textContent = 'The last good page is below. The next good save closes this.';
  box.setAttribute('role', 'alert');
  box.replaceChildren(title, text, note);
};
const hide_problem = () => element('live-problem')?.remove();

// What scripts report while they are loaded or tried.
let noted = null, trial = null;
const note = (problem) => {
  noted ??= problem;
  if (loading || life === null) return;
  if (trial && performance.now() - trial.since < kTrial && problem.file === trial.file) {
    back(trial);
    show_problem(problem);
  } else if (build === 'develop') {
    show_problem(problem);
  }
};
window.addEventListener('error', ({message, filename, lineno, error}) => {
  if (message?.includes('ResizeObserver')) return;  // a notice
  note({message: message || String(error), file: (filename ?? '').split('?')[0].split('/').at(-1), line: lineno || ''});
});
window.addEventListener('unhandledrejection', ({reason}) => note(problem_of(reason)));

// ---- hot reload ----
let loading = false, loads = 0, reloads = 0;
// Adds a script, runs it and removes it. The problem that it had; null: none.
const load = (file) => new Promise((resolve) => {
  const script = document.createElement('script');
  const done = (problem) => {
    script.onload = script.onerror = null;
    script.remove();
    loading = false;
    resolve(problem);
  };
  loading = true;
  noted = null;
  script.onload = () => done(noted);
  script.onerror = () => done({message: 'The server does not have this script.', file, line: ''});
  script.src = `${file}?v=${++loads}`;
  document.head.append(script);
});
const back = ({name, before}) => {
  trial = null;
  if (before) lab.modules.set(name, before); else lab.modules.delete(name);
  restart(shown);
};
const reload_script = async (file) => {
  const name = file.replace(/\.js$/, ''), before = lab.modules.get(name);
  const problem = await load(file);
  if (problem) return show_problem(problem);
  const thrown = restart(shown);
  if (thrown) {
    back({name, before});
    return show_problem(problem_of(thrown));
  }
  trial = {name, before, file, since: performance.now()};
  hide_problem();
};
const reload_style = () => new Promise((resolve) => {
  const old = document.querySelector('link[rel=stylesheet]'), fresh = old.cloneNode();
  const done = (gone) => {
    fresh.onload = fresh.onerror = null;
    gone.remove();
    resolve();
  };
  fresh.href = `${old.href.split('?')[0]}?v=${++loads}`;
  fresh.onload = () => done(old);
  fresh.onerror = () => done(fresh);
  old.after(fresh);
});

const saved = new Set();
let reloading = false;
const reload_saved = async () => {
  if (reloading) return;
  reloading = true;
  try {
    while (saved.size > 0) {
      const [file] = saved;
      saved.delete(file);
      if (kShell.includes(file) || life === null) return void location.reload();
      if (file.endsWith('.js')) await reload_script(file);
      if (file.endsWith('.css') || file === 'palette.json') await reload_style();
      if (file.endsWith('.json')) {
        etag = null;
        await refresh();
      }
      document.documentElement.dataset.reloads = ++reloads;
    }
  } finally {
    reloading = false;
  }
};

// ---- the connection ----
const hear = {
  there(now) {
    if (there === now) return;
    there = now;
    say_state();
  },
  hello(now) {
    if (build !== null && now.build !== build) return void location.reload();  // once: the page that comes has the new scripts
    const is_known = build === null && now.version === version && version > 0;
    build = now.build;
    if (is_known || life === null) say_state(); else refresh();
  },
  index({series, machines}) {
    updated = `Updated ${clock()}, ${count(series.length, 'series', 'series')} on ${count(machines.length, 'machine')}.`;
    say_state();
    if (life !== null) refresh();
  },
  session: show_running,
  develop({file}) {
    saved.add(file);
    reload_saved();
  },
};

const worker_address = () => document.querySelector('script[src="live.js"]')?.dataset.worker ?? 'live_worker.js';
const connect = () => {
  let worker;
  try {
    worker = new SharedWorker(worker_address());
  } catch {
    return poll();
  }
  const {port} = worker;
  worker.onerror = () => poll();
  port.onmessage = ({data: {name, data}}) => hear[name]?.(data);
  window.addEventListener('pagehide', () => port.postMessage('bye'), {once: true});
  window.addEventListener('pageshow', ({persisted}) => { if (persisted) location.reload(); }, {once: true});
};
// Without a worker, every few seconds.
let running = '';
const poll = async () => {
  try {
    const status = await (await fetch('api/status', {cache: 'no-store'})).json();
    hear.there(true);
    if (status.build !== build || status.version !== version) hear.hello(status);
    if (running !== JSON.stringify(status.running)) hear.session(status);
    running = JSON.stringify(status.running);
  } catch {
    hear.there(false);
  }
  setTimeout(poll, kPoll);
};

document.addEventListener('DOMContentLoaded', () => {
  const broken = noted;
  version = Number(document.documentElement.dataset.version);
  if (globalThis.lab === undefined) {
    show_problem(broken ?? {message: 'report.js did not start.', file: 'report.js', line: ''});
    return connect();
  }
  shown = content_of_page();
  lab.data = shown.data;
  life = lab.new_life();
  const problem = started();
  if (problem) show_problem(problem_of(problem));
  lab.parts.address?.arrive();
  connect();
});
})();
