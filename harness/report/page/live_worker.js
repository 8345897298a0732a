// One stream of events for all pages of this browser that show this farm. Each page hears every event, and whether the
// server is there. The browser connects again by itself; where it gives up (a proxy's answer), the worker does.
'use strict';
const kAgain = 1000;  // ms
const kEvents = ['hello', 'index', 'session', 'develop'];
const pages = new Set();
const last = new Map();  // what a new page is told first
let source = null, is_there = null;

const tell = (message) => { for (const page of pages) page.postMessage(message); };
const set_there = (there) => {
  if (is_there === there) return;
  is_there = there;
  tell({name: 'there', data: there});
};

const connect = () => {
  source = new EventSource('events');
  for (const name of kEvents)
    source.addEventListener(name, ({data}) => {
      const message = {name, data: JSON.parse(data)};
      if (name === 'hello' || name === 'session') last.set(name, message);
      if (name === 'index' && last.has('hello')) last.get('hello').data.version = message.data.version;
      tell(message);
    });
  source.addEventListener('open', () => set_there(true));
  source.addEventListener('error', () => {
    set_there(false);
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    setTimeout(connect, kAgain);
  });
};

self.addEventListener('connect', ({ports: [page]}) => {
  pages.add(page);
  page.addEventListener('message', ({data}) => { if (data === 'bye') pages.delete(page); });
  page.start();
  if (source === null) connect();
  if (is_there !== null) page.postMessage({name: 'there', data: is_there});
  if (is_there) for (const message of last.values()) page.postMessage(message);
});
