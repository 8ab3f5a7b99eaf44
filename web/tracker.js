// Which nodes a stroke selects: the same rules, with the same numbers, as the server's tracker.
//
// Positions are whole units, 1/8192 of the pad's longer side, within ±32768. All integers below stay
// under 2^53 and the only other arithmetic is one square root and one product, which every engine
// rounds alike, so browser and server never disagree. Tests/Vectors/tracker-*.json holds them to it.

/** Units in the pad's longer side. */
export const unitsPerSide = 8192;

/**
 * @typedef {{x: number, y: number}} Point in whole units
 * @typedef {{type: 'pressed', x: number, y: number}
 *   | {type: 'moved', x: number, y: number}
 *   | {type: 'entered', node: number, filledIn: boolean}
 *   | {type: 'finished', path: number[]}
 *   | {type: 'cancelled'}} Step
 * @typedef {{low: number, high: number, centre: number}} Band
 * @typedef {{columns: Band[], rows: Band[], radius: number | null}} Zones
 */

/**
 * A place in pad units (1 is the pad's longer side) in whole units, rounded half away from zero and
 * kept within ±4 sides. Clients do this before they track or send.
 * @param {number} value
 * @returns {number}
 */
export function toUnits(value) {
  const units = Math.sign(value) * Math.round(Math.abs(value) * unitsPerSide);
  return Math.min(32767, Math.max(-32768, units)) + 0;
}

/** Follows one pointer over a pad, sample by sample. */
export class GestureTracker {
  /** @param {object} pad the `pad` of the server's `welcome` */
  constructor(pad) {
    this.pad = pad;
    /** @type {number[]} the nodes selected so far; a finished stroke's stay until the next press */
    this.path = [];
    /** @type {Point} where the pointer was seen last */
    this.pointer = { x: 0, y: 0 };
    this.isDrawing = false;
    this.hasMoved = false;
    this.used = new Set();
    const { hit } = pad;
    this.usesFullZone = hit.shape === 'circle' && hit.pressUsesFullZone === true;
    this.sweep = zones(hit, hit.sweep);
    this.full = this.usesFullZone ? zones(hit, hit.radius) : this.sweep;
  }

  /** Whether the line goes on from the last node to the pointer. */
  get showsTail() {
    return this.isDrawing && Boolean(this.pad.theme.tail)
      && (this.hasMoved || this.pad.preset !== 'sa-screen-lock');
  }

  /**
   * Begins a stroke, on a node or off, in place of whatever was drawn.
   * @param {Point} position
   * @param {Step[]} [steps] what happened is appended here
   */
  press({ x, y }, steps = []) {
    this.path = [];
    this.used.clear();
    this.isDrawing = true;
    this.hasMoved = false;
    this.pointer = { x, y };
    steps.push({ type: 'pressed', x, y });
    this.#touchAll(this.full, this.pointer, this.pointer, steps);
  }

  /**
   * Goes on straight to a position; without a press before, nothing happens.
   * @param {Point} position
   * @param {Step[]} [steps]
   */
  move({ x, y }, steps = []) {
    if (!this.isDrawing) return;
    const start = this.pointer;
    this.hasMoved = true;
    this.pointer = { x, y };
    steps.push({ type: 'moved', x, y });
    this.#touchAll(this.sweep, start, this.pointer, steps);
  }

  /**
   * Ends the stroke. Where the pointer was lifted, and the way to it, selects nothing; where it
   * stood before counts in full on pads that say so.
   * @param {Point} [position]
   * @param {Step[]} [steps]
   */
  release(position, steps = []) {
    if (!this.isDrawing) return;
    if (this.usesFullZone) this.#touchAll(this.full, this.pointer, this.pointer, steps);
    if (position) this.pointer = { x: position.x, y: position.y };
    this.isDrawing = false;
    steps.push({ type: 'finished', path: [...this.path] });
  }

  /**
   * Gives the stroke up, or ends it where the pad's `cancel` says `submit`.
   * @param {Step[]} [steps]
   */
  cancel(steps = []) {
    if (!this.isDrawing) return;
    if (this.pad.cancel === 'submit') {
      this.release(undefined, steps);
      return;
    }
    this.isDrawing = false;
    this.path = [];
    this.used.clear();
    steps.push({ type: 'cancelled' });
  }

  /**
   * Does what a batch of samples says, in order.
   * @param {'press' | 'move' | 'release' | 'tap' | 'cancel'} action
   * @param {Point[]} samples
   * @param {Step[]} [steps]
   */
  handle(action, samples, steps = []) {
    if (action === 'cancel') {
      this.cancel(steps);
      return;
    }
    const presses = action === 'press' || action === 'tap';
    const lifts = action === 'release' || action === 'tap';
    if (presses) {
      if (samples.length === 0) return;
      this.press(samples[0], steps);
    }
    const end = lifts ? samples.length - 1 : samples.length;
    for (let i = presses ? 1 : 0; i < end; i++) this.move(samples[i], steps);
    if (lifts) this.release(samples[samples.length - 1], steps);
  }

  #touchAll(zones, start, end, steps) {
    visit(zones, start, end, (node) => this.#touch(node, steps));
  }

  #touch(node, steps) {
    if (this.used.has(node)) return;
    if (this.path.length > 0) {
      const { columns, rule } = this.pad;
      const jump = jumpBetween(this.path[this.path.length - 1], node, columns);
      if (rule === 'neighbours' && !jump.isToNeighbour) return;
      const [first, last] = addedMultiples(rule, jump);
      for (let i = first; i <= last; i++) {
        const between = jump.start + i * jump.step;
        if (!this.used.has(between)) this.#append(between, true, steps);
      }
    }
    this.#append(node, false, steps);
  }

  #append(node, filledIn, steps) {
    this.path.push(node);
    this.used.add(node);
    steps.push({ type: 'entered', node, filledIn });
  }
}

/** The way between two nodes as equal lattice steps; exactly the multiples of one lie between. */
function jumpBetween(from, to, columns) {
  const across = (to % columns) - (from % columns);
  const down = Math.floor(to / columns) - Math.floor(from / columns);
  const steps = greatestCommonDivisor(Math.abs(across), Math.abs(down));
  return {
    start: from,
    step: (across + down * columns) / steps,
    steps,
    isStraight: across === 0 || down === 0 || Math.abs(across) === Math.abs(down),
    isToNeighbour: Math.abs(across) <= 1 && Math.abs(down) <= 1,
  };
}

/** First and last multiple of the step whose nodes the rule adds; last < first for none. */
function addedMultiples(rule, { steps, isStraight }) {
  switch (rule) {
    case 'fill':
      return [1, steps - 1];
    case 'rowColumnDiagonal':
      return isStraight ? [1, steps - 1] : [1, 0];
    case 'midpoint':
      return steps % 2 === 0 ? [steps / 2, steps / 2] : [1, 0];
    default:
      return [1, 0];
  }
}

function greatestCommonDivisor(a, b) {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** @returns {Zones} the zones of a circle pad for one radius, or of a box pad */
function zones(hit, radius) {
  if (hit.shape === 'circle') {
    const band = (centre) => ({ low: centre - radius, high: centre + radius, centre });
    return { columns: hit.columns.map(band), rows: hit.rows.map(band), radius };
  }
  const band = ([low, high]) => ({ low, high, centre: 0 });
  return { columns: hit.columns.map(band), rows: hit.rows.map(band), radius: null };
}

/**
 * Calls `touch` with each node whose zone the segment passes, in travel order: columns in the
 * direction of travel and in each the rows that are reached within its band, in the direction of
 * travel too. Zones lie apart on a lattice, so this needs no sorting.
 */
function visit({ columns, rows, radius }, start, end, touch) {
  const { x, y } = start;
  const dx = end.x - x;
  const dy = end.y - y;
  const columnStep = dx < 0 ? -1 : 1;
  const rowStep = dy < 0 ? -1 : 1;
  let column = skip(columns, columnStep < 0 ? columns.length - 1 : 0, columnStep, x);
  let firstRow = rowStep < 0 ? rows.length - 1 : 0;
  for (; isReached(columns[column], columnStep, end.x); column += columnStep) {
    const band = columns[column];
    const [from, to] = stretch(band, x, y, dx, dy);
    firstRow = skip(rows, firstRow, rowStep, from);
    for (let row = firstRow; isReached(rows[row], rowStep, to); row += rowStep) {
      const hits = radius === null
        ? crosses(band, rows[row], x, y, dx, dy)
        : comesNearer(band.centre - x, rows[row].centre - y, dx, dy, radius);
      if (hits) touch(row * columns.length + column);
    }
  }
}

/** The index of the first band, going by `step`, that does not lie wholly before `position`. */
function skip(bands, index, step, position) {
  while (index >= 0 && index < bands.length
    && (step < 0 ? bands[index].low > position : bands[index].high < position)) index += step;
  return index;
}

function isReached(band, step, position) {
  return band !== undefined && (step < 0 ? band.high >= position : band.low <= position);
}

/**
 * Where y begins and ends while x is in the column's band, rounded towards the start: bands end at
 * whole units, so no row is lost by it.
 */
function stretch(column, x, y, dx, dy) {
  if (dx === 0 || dy === 0) return [y, y + dy];
  const enters = dx > 0 ? Math.max(x, column.low) : Math.min(x, column.high);
  const leaves = dx > 0 ? Math.min(x + dx, column.high) : Math.max(x + dx, column.low);
  return [y + Math.trunc((dy * (enters - x)) / dx), y + Math.trunc((dy * (leaves - x)) / dx)];
}

/** Whether the segment comes nearer than `radius` to the point (fx, fy) from its start. */
function comesNearer(fx, fy, dx, dy, radius) {
  const squaredLength = dx * dx + dy * dy;
  const along = fx * dx + fy * dy;
  if (along <= 0) return fx * fx + fy * fy < radius * radius;
  if (along >= squaredLength) {
    const ex = fx - dx;
    const ey = fy - dy;
    return ex * ex + ey * ey < radius * radius;
  }
  return Math.abs(dx * fy - dy * fx) < radius * Math.sqrt(squaredLength);
}

/** Whether the segment meets a box, edges included; times near/way … far/way, multiplied out. */
function crosses(column, row, x, y, dx, dy) {
  const nearX = dx < 0 ? x - column.high : column.low - x;
  const farX = dx < 0 ? x - column.low : column.high - x;
  const nearY = dy < 0 ? y - row.high : row.low - y;
  const farY = dy < 0 ? y - row.low : row.high - y;
  const wayX = Math.abs(dx);
  const wayY = Math.abs(dy);
  return nearX <= wayX && farX >= 0 && nearY <= wayY && farY >= 0
    && nearX * wayY <= farY * wayX && nearY * wayX <= farX * wayY;
}
