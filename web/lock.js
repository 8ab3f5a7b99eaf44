// An actuator: opens on a grant of its own, and closes again.

import { DrawboltClient } from "./drawbolt.js";
import { GrantTaker } from "./grant.js";
import { name, room, setUpPage } from "./page.js";
import { text } from "./strings.js";

const OPEN_FOR = 5000;

setUpPage();
const bolt = document.getElementById("bolt");
const state = document.getElementById("state");
const why = document.getElementById("why");
const status = document.getElementById("status");
const client = new DrawboltClient({ room, role: "actuator", name });
// Only a page that says so opens for a code that everybody could watch.
const taker = new GrantTaker({ acceptsDemo: "acceptsDemo" in bolt.dataset });
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

client.addEventListener("offer", ({ detail: { id } }) => client.claim(id, taker.claim(id)));
client.addEventListener("grant", async ({ detail: grant }) => {
  const objection = await taker.objection(grant, client.welcome);
  if (objection === null) open(grant);
  else refuse(objection);
});
client.addEventListener("status", ({ detail }) => {
  status.textContent = text(detail.status, detail);
  status.dataset.status = detail.status;
});

show(false, text("lockWaiting"));
client.connect();
