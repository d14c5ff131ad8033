'use strict';

// The app decides and acts; this page shows its screen and reports pressed buttons.

const part = (id) => document.getElementById(id);
const buttons = ['call-graph', 'sign-out', 'device-info', 'cancel'].map(part);

let revision = -1;
let lastEntry = 0;
let isOver = false;

function send(action, options = {}) {
  return fetch('/' + action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ revision }),
    credentials: 'same-origin',
    redirect: 'error',
    ...options,
  });
}

function showAccount(screen) {
  const isSignedIn = screen.canSignOut;
  part('account').dataset.signedIn = isSignedIn;
  part('initial').textContent = isSignedIn ? Array.from(screen.username)[0] : '';
  // A live region is announced on every write.
  if (part('username').textContent !== screen.username) part('username').textContent = screen.username;
}

function showButtons(screen) {
  const isBusy = screen.activity !== null;
  part('call-graph').setAttribute('aria-disabled', isBusy);
  const signOut = part('sign-out');
  const hadFocus = document.activeElement === signOut;
  signOut.disabled = isBusy || !screen.canSignOut;
  // A disabled button loses the focus, which would strand keyboard users.
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

function showEnd() {
  if (isOver) return;
  isOver = true;
  part('activity').hidden = true;
  part('gone').hidden = false;
  for (const button of buttons) button.disabled = true;
}

function show(screen) {
  revision = screen.revision;
  showAccount(screen);
  showActivity(screen);
  showButtons(screen);
  showLog(screen);
}

async function follow() {
  let failures = 0;
  while (!isOver) {
    try {
      const response = await send('changes');
      // Another app may use the port by now.
      if (response.status === 403) return showEnd();
      if (!response.ok) throw new Error(response.statusText);
      show(await response.json());
      failures = 0;
    } catch {
      failures += 1;
      if (failures > 3) return showEnd();
      await new Promise((resolve) => setTimeout(resolve, 250 * failures));
    }
  }
}

function press(button) {
  if (isOver || button.getAttribute('aria-disabled') === 'true') return;
  // The screen shows the result.
  send(button.id).catch(() => {});
}

for (const button of buttons) button.addEventListener('click', () => press(button));
// The buttons are disabled in the document, since they need this script.
for (const id of ['call-graph', 'device-info']) part(id).disabled = false;

function comeToFront() {
  if (document.visibilityState === 'visible' && !isOver) send('foreground').catch(() => {});
}

document.addEventListener('visibilitychange', comeToFront);
// Next to another window, the page stays visible.
addEventListener('focus', comeToFront);
addEventListener('pagehide', () => {
  if (isOver) return;
  isOver = true;
  send('leave', { keepalive: true }).catch(() => {});
});
// To the app, a page restored from the back/forward cache has left.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
follow();
