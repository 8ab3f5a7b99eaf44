// Draws a pad as SVG, so that it is sharp at any density and follows every CSS transform.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Object<string, string|number>} attributes */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** The centre of each node in units. @param {object} pad */
export function nodeCentres(pad) {
  const middle = (place) => (Array.isArray(place) ? (place[0] + place[1]) / 2 : place);
  const xs = pad.hit.columns.map(middle);
  const ys = pad.hit.rows.map(middle);
  return ys.flatMap((y) => xs.map((x) => ({ x: Math.round(x), y: Math.round(y) })));
}

/** One pad's picture. */
export class PadView {
  /** @param {SVGSVGElement} svg is emptied and drawn into */
  constructor(svg) {
    this.svg = svg;
    this.pad = null;
    this.centres = [];
    this.nodes = [];
  }

  /** @param {object} pad the `pad` of `welcome` */
  setPad(pad) {
    const { theme, width, height } = pad;
    this.pad = pad;
    this.centres = nodeCentres(pad);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.setProperty("--line-width", String(theme.lineWidth));
    if (theme.lineColour) this.svg.style.setProperty("--line-colour", theme.lineColour);
    const cap = theme.roundCaps ? "round" : "butt";
    const line = { fill: "none", "stroke-linecap": cap, "stroke-linejoin": cap === "round" ? cap : "miter" };
    this.line = shape("polyline", { ...line, class: "line" });
    this.tail = shape("line", { ...line, class: "line tail" });
    this.cursor = shape("circle", { class: "cursor", r: theme.nodeSize * 0.85, cx: -1e5, cy: -1e5 });
    this.nodes = this.centres.map(({ x, y }) => {
      const node = shape("g", { class: "node", transform: `translate(${x} ${y})` });
      node.append(
        shape("circle", { class: "halo", r: theme.nodeSize / 2 }),
        shape("circle", { class: "dot", r: theme.nodeSize / 7 }));
      return node;
    });
    this.svg.replaceChildren(this.line, this.tail, ...this.nodes, this.cursor);
  }

  /** @param {import("./pad-session.js").Picture} picture */
  show({ path, phase, tail }) {
    if (this.pad === null) return;
    this.svg.dataset.phase = phase;
    const places = path.map((node) => this.centres[node]);
    this.line.setAttribute("points", places.map(({ x, y }) => `${x},${y}`).join(" "));
    const last = places[places.length - 1];
    const shows = last !== undefined && tail !== null && this.pad.theme.tail;
    this.tail.classList.toggle("hidden", !shows);
    if (shows) {
      this.tail.setAttribute("x1", last.x);
      this.tail.setAttribute("y1", last.y);
      this.tail.setAttribute("x2", tail.x);
      this.tail.setAttribute("y2", tail.y);
    }
    const lit = new Set(path);
    this.nodes.forEach((node, index) => node.classList.toggle("lit", lit.has(index)));
  }

  /** @param {number|null} node where the keyboard is */
  showCursor(node) {
    const place = node === null ? { x: -1e5, y: -1e5 } : this.centres[node];
    this.cursor?.setAttribute("cx", place.x);
    this.cursor?.setAttribute("cy", place.y);
  }

  /**
   * The way from the page's coordinates to pad units as things stand now; read anew at each event,
   * since the page may have been scrolled, zoomed, turned or laid out anew.
   * @returns {DOMMatrix|null}
   */
  get mapping() {
    return this.svg.getScreenCTM()?.inverse() ?? null;
  }
}
