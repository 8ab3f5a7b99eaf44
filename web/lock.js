// An actuator: opens on a grant of its own, and closes again.

import { DrawboltClient } from "./drawbolt.js";
import { GrantTaker } from "./grant.js";
import { followTokens, homeLink, name, room, setUpPage, token } from "./page.js";
import { isBoard, refusalText, text } from "./strings.js";

const OPEN_FOR = 5000;

setUpPage();
const bolt = document.getElementById("bolt");
const state = document.getElementById("state");
const why = document.getElementById("why");
const status = document.getElementById("status");
const client = new DrawboltClient({ room, role: "actuator", name, token });
// Only a page that says so opens for a code that everybody could watch.
const taker = new GrantTaker({ acceptsDemo: "acceptsDemo" in bolt.dataset });
let closing = null;
let refusal = null;

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

/** There is nothing to wait for in this room. */
function turnAway(reason) {
  status.textContent = reason;
  status.dataset.status = "refused";
  why.replaceChildren(homeLink());
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
client.addEventListener("error", ({ detail }) => {
  if (client.welcome === null || detail.code === "badToken") refusal = refusalText(detail, room);
});
client.addEventListener("status", ({ detail }) => {
  if (detail.status === "connecting") refusal = null;
  if (detail.status === "disconnected" && refusal !== null) return turnAway(refusal);
  status.textContent = text(detail.status, detail);
  status.dataset.status = detail.status;
});

show(false, text("lockWaiting"));
if (isBoard(room)) turnAway(text("boardNeverOpens"));
else {
  followTokens(client);
  client.connect();
}
