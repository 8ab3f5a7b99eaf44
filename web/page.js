// What all pages share: language, links that keep the room, and the room itself.

import { isBoard, language, refusalText, text } from "./strings.js";

const query = new URLSearchParams(location.search);

/** The room that the page is about: `?room=`, else the demo lock. */
export const room = query.get("room") ?? "demo";

/** What the visitor is called: `?name=`. */
export const name = query.get("name") ?? undefined;

/**
 * The visitor's token: `#token=`. No server is ever sent the fragment, and here it leaves the address at
 * once, so that it is in no bookmark and no screenshot.
 */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return token;
}

let newest = takeToken();

/** The newest token that the address had. */
export const token = () => newest;

/** Connects anew when a link with another token is followed, which loads no page. */
export function followTokens(client) {
  addEventListener("hashchange", () => {
    newest = takeToken() ?? newest;
    client.disconnect();
    client.connect();
  });
}

/** Fills in the page's texts and links. */
export function setUpPage() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-text]")) {
    const { text: name, board } = element.dataset;
    element.textContent = text(isBoard(room) && board || name);
  }
  document.title = `Drawbolt: ${document.querySelector("h1").textContent}`;
  const here = location.pathname.split("/").pop() || "index.html";
  for (const link of document.querySelectorAll("nav a, .doors a, .brand")) {
    if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
    if (location.search !== "") link.search = location.search;
  }
  for (const link of document.querySelectorAll(".board")) {
    if (query.has("lang")) link.search += `&lang=${language}`;
  }
  const other = new URLSearchParams(query);
  other.set("lang", language === "en" ? "zh-CN" : "en");
  const switcher = document.getElementById("language");
  switcher.textContent = text("language");
  switcher.search = other.toString();
  switcher.lang = language === "en" ? "zh-CN" : "en";
  if (here !== "index.html") document.getElementById("room").textContent = room;
}

/** A link to where rooms are found. */
export function homeLink() {
  const link = document.createElement("a");
  link.href = `index.html${query.has("lang") ? `?lang=${language}` : ""}`;
  link.textContent = text("home");
  return link;
}

/**
 * Puts a pad onto the page and tells how many watch.
 * @param {"controller"|"viewer"} role
 */
export function setUpPad(role) {
  setUpPage();
  const pad = document.createElement("drawbolt-pad");
  pad.setAttribute("room", room);
  pad.setAttribute("as", role);
  if (name !== undefined) pad.setAttribute("name", name);
  pad.token = token;
  document.getElementById("stage").append(pad);
  followTokens(pad.client);
  const way = document.getElementById("way");
  const viewers = document.getElementById("viewers");
  pad.client.addEventListener("members", ({ detail }) => {
    viewers.textContent = text("viewers", { count: detail.viewers });
  });
  pad.client.addEventListener("error", ({ detail }) => {
    // The pad says why; from here there is only the way back.
    if (pad.client.welcome === null && refusalText(detail, room)) way.append(homeLink());
  });
  pad.client.addEventListener("status", ({ detail }) => {
    if (detail.status === "connecting") way.replaceChildren();
    if (detail.status !== "connected") viewers.textContent = "";
  });
}
