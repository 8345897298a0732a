// On the page of an alarm: who has the token that `serve --token` was started with may acknowledge it with a note. The token
// stays in this tab and goes in a header, so that no form of another page can do the same.
'use strict';
const kKept = 'lab-token', kName = 'lab-name';

const id_of = ({pathname, search}) => pathname.endsWith('/alarm') ? new URLSearchParams(search).get('id') : null;
// What the server said, as a sentence.
const outcome = (status, text) => status === 200 ? 'Acknowledged. The page shows it in a moment.' :
  status === 403 ? 'The server refuses this token.' : `Not acknowledged: ${text.trim() || `status ${status}`}`;

const form_for = (id, life) => {
  const note = make('input', {type: 'text', name: 'note', maxLength: 500, autocomplete: 'off'});
  const who = make('input', {type: 'text', name: 'who', maxLength: 60, required: true, autocomplete: 'name', value: sessionStorage.getItem(kName) ?? ''});
  const token = make('input', {type: 'password', name: 'token', required: true, autocomplete: 'off', value: sessionStorage.getItem(kKept) ?? ''});
  const says = make('p', {className: 'acknowledge-says'});
  says.setAttribute('role', 'status');
  const send = async () => {
    sessionStorage.setItem(kKept, token.value);
    sessionStorage.setItem(kName, who.value);
    try {
      const answer = await fetch('ack', {
        method: 'POST', body: JSON.stringify({id, note: note.value, who: who.value}), signal: life.signal,
        headers: {'Content-Type': 'application/json', Authorization: `Bearer ${token.value}`},
      });
      says.textContent = outcome(answer.status, await answer.text());
    } catch (error) {
      if (!life.signal.aborted) says.textContent = outcome(0, error.message);
    }
  };
  const form = make('form', {className: 'acknowledge', onsubmit: (event) => { event.preventDefault(); send(); }},
    make('label', {}, 'Note ', note), make('label', {}, 'Your name ', who), make('label', {}, 'Token ', token), make('button', {type: 'submit', textContent: 'Acknowledge'}), says);
  form.setAttribute('aria-label', 'Acknowledge this alarm');
  return form;
};

const start = () => {
  const id = id_of(location), section = document.querySelector('#main > section');
  if (!id || !section) return;
  fetch('api/status', {cache: 'no-store', signal: life.signal}).then((answer) => answer.json()).then(({may_acknowledge}) => {
    if (may_acknowledge && section.isConnected) section.before(form_for(id, life));
  }).catch(() => {});  // without the server nobody can
};
