// An actuator: opens on a grant of its own, and closes again.

import { DrawboltClient } from "./drawbolt.js";
import { NONCE_LIFE, isSigned, makeNonce } from "./grant.js";
import { name, room, setUpPage } from "./page.js";
import { text } from "./strings.js";

const OPEN_FOR = 5000;

setUpPage();
const bolt = document.getElementById("bolt");
const state = document.getElementById("state");
const why = document.getElementById("why");
const status = document.getElementById("status");
const client = new DrawboltClient({ room, role: "actuator", name });

/** Claims, each good for one grant, that wait for their grant: id → nonce and when it was made. */
const claims = new Map();
let closing = null;

function show(isOpen, reason) {
  bolt.classList.toggle("open", isOpen);
  state.textContent = text(isOpen ? "lockOpen" : "lockClosed");
  why.textContent = reason;
}

function open(grant) {
  clearTimeout(closing);
  show(true, grant.demo ? text("lockDemo") : "");
  closing = setTimeout(() => show(false, text("lockWaiting")), OPEN_FOR);
}

/** What is refused changes nothing: an open lock closes when its own time is over. */
function refuse(reason) {
  why.textContent = text("lockRefused", { reason: text(reason) });
}

async function take(grant) {
  const claim = claims.get(grant.id);
  claims.delete(grant.id);
  if (claim === undefined || claim.nonce !== grant.nonce
    || grant.audience !== client.welcome.member || grant.lock !== room) return refuse("badGrant");
  const isLate = () => performance.now() - claim.madeAt >= NONCE_LIFE;
  if (isLate()) return refuse("lateGrant");
  try {
    if (!await isSigned(grant, client.welcome.grantKey)) return refuse("badGrant");
  } catch {
    return refuse("noEd25519");
  }
  return isLate() ? refuse("lateGrant") : open(grant);
}

client.addEventListener("offer", ({ detail: { id } }) => {
  const nonce = makeNonce();
  claims.set(id, { nonce, madeAt: performance.now() });
  client.claim(id, nonce);
  setTimeout(() => claims.delete(id), NONCE_LIFE * 2);
});
client.addEventListener("grant", ({ detail }) => take(detail));
client.addEventListener("status", ({ detail }) => {
  status.textContent = text(detail.status, detail);
  status.dataset.status = detail.status;
});

show(false, text("lockWaiting"));
client.connect();
