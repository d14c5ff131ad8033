'use strict';

// The app decides and acts; this page shows its screen and says which button was pressed.

const part = (id) => document.getElementById(id);
const buttons = ['call-graph', 'sign-out', 'device-info', 'cancel'].map(part);
const letters = '0123456789abcdefghijklmnopqrstuvwxyz';
const page = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => letters[byte % 36]).join('');

let revision = -1;
let lastEntry = 0;
let isOver = false;

function send(action, options = {}) {
  return fetch('/' + action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ page, revision }),
    credentials: 'same-origin',
    redirect: 'error',
    ...options,
  });
}

function showAccount(screen) {
  const isSignedIn = screen.canSignOut;
  part('account').dataset.signedIn = isSignedIn;
  part('initial').textContent = isSignedIn ? Array.from(screen.username)[0] : '';
  // A live region speaks whenever it is written to.
  if (part('username').textContent !== screen.username) part('username').textContent = screen.username;
}

function showButtons(screen) {
  const isBusy = screen.activity !== null;
  part('call-graph').setAttribute('aria-disabled', isBusy);
  const signOut = part('sign-out');
  const hadFocus = document.activeElement === signOut;
  signOut.disabled = isBusy || !screen.canSignOut;
  // A greyed out button loses the focus, and with it whoever uses the keyboard would be lost.
  if (hadFocus && signOut.disabled) part('call-graph').focus();
}

function showActivity(screen) {
  part('activity').hidden = screen.activity === null;
  part('cancel').hidden = !screen.canCancel;
  const text = screen.activity ?? '';
  if (part('activity-text').textContent !== text) part('activity-text').textContent = text;
}

function entryLine(entry) {
  const line = document.createElement('li');
  const time = document.createElement('time');
  const text = document.createElement('span');
  const moment = new Date(entry.time * 1000);
  time.dateTime = moment.toISOString();
  time.textContent = moment.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  text.textContent = entry.text;
  line.append(time, text);
  line.dataset.number = entry.number;
  return line;
}

function showLog(screen) {
  const log = part('log');
  const entries = part('entries');
  const kept = new Set(screen.log.map((entry) => String(entry.number)));
  for (const line of [...entries.children]) if (!kept.has(line.dataset.number)) line.remove();
  const fresh = screen.log.filter((entry) => entry.number > lastEntry).map(entryLine);
  if (fresh.length === 0) return;
  lastEntry = screen.log.at(-1).number;
  entries.append(...fresh);
  log.scrollTop = fresh.at(-1).offsetTop - log.offsetTop;
}

function showEnd(text) {
  if (isOver) return;
  isOver = true;
  part('activity').hidden = true;
  part('gone').hidden = false;
  part('gone').textContent = text;
  for (const button of buttons) button.disabled = true;
}

function show(screen) {
  revision = screen.revision;
  showAccount(screen);
  showActivity(screen);
  showButtons(screen);
  showLog(screen);
  if (screen.ended) showEnd('The app has ended. You can close this tab.');
}

async function follow() {
  let failures = 0;
  while (!isOver) {
    try {
      const answer = await send('changes');
      if (answer.status === 403) return showEnd('This page belongs to an app that has ended. You can close this tab.');
      if (!answer.ok) throw new Error(answer.statusText);
      show(await answer.json());
      failures = 0;
    } catch {
      failures += 1;
      if (failures > 3) return showEnd('The app does not answer any more. You can close this tab.');
      await new Promise((resolve) => setTimeout(resolve, 250 * failures));
    }
  }
}

function press(button) {
  if (isOver || button.getAttribute('aria-disabled') === 'true') return;
  // Whether it worked, the screen tells.
  send(button.id).catch(() => {});
}

for (const button of buttons) button.addEventListener('click', () => press(button));
// Disabled in the document, where nothing would answer them without this script.
for (const id of ['call-graph', 'device-info']) part(id).disabled = false;
function comeToFront() {
  if (document.visibilityState === 'visible' && !isOver) send('foreground').catch(() => {});
}

document.addEventListener('visibilitychange', comeToFront);
// Beside another window the page is visible all the time.
addEventListener('focus', comeToFront);
addEventListener('pagehide', () => {
  if (!isOver) send('leave', { keepalive: true }).catch(() => {});
});
// A page that the browser had kept in memory has left as far as the app knows.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
follow();
