// The browser's tracker against the golden vectors that the server's tracker is held to as well.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { GestureTracker, toUnits, unitsPerSide } from '../../web/tracker.js';

const folder = new URL('../Vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => /^tracker-.*\.json$/.test(name));

const pad = JSON.parse(readFileSync(new URL('tracker-strokes.json', folder), 'utf8')).pads[0];
const centre = (node) => ({ x: pad.hit.columns[node % 3], y: pad.hit.rows[Math.floor(node / 3)] });

const sign = (step) => {
  switch (step.type) {
    case 'entered':
      return (step.filledIn ? '*' : '+') + step.node;
    default:
      return step.type[0];
  }
};

function points(flat) {
  const result = [];
  for (let i = 0; i < flat.length; i += 2) result.push({ x: flat[i], y: flat[i + 1] });
  return result;
}

test('there are vectors', () => assert.ok(files.length >= 3));

for (const name of files) {
  test(`the tracker does what ${name} says`, () => {
    const { pads, vectors } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    assert.ok(vectors.length > 100);
    for (const vector of vectors) {
      const tracker = new GestureTracker(pads[vector.pad]);
      const steps = [];
      const drawing = [];
      const tail = [];
      for (const { action, samples } of vector.batches) {
        tracker.handle(action, points(samples), steps);
        drawing.push(tracker.isDrawing);
        tail.push(tracker.showsTail);
      }
      const seen = {
        steps: steps.map(sign).join(' '),
        path: tracker.path,
        pointer: [tracker.pointer.x, tracker.pointer.y],
        drawing,
        tail,
      };
      const { steps: wanted, path, pointer } = vector;
      assert.deepEqual(
        seen,
        { steps: wanted, path, pointer, drawing: vector.drawing, tail: vector.tail },
        `${pads[vector.pad].preset} ${vector.name}`,
      );
    }
  });
}

test('steps say where and what', () => {
  const tracker = new GestureTracker(pad);
  const steps = [];
  tracker.press(centre(0), steps);
  tracker.move(centre(1), steps);
  tracker.release(centre(8), steps);
  assert.deepEqual(steps, [
    { type: 'pressed', ...centre(0) },
    { type: 'entered', node: 0, filledIn: false },
    { type: 'moved', ...centre(1) },
    { type: 'entered', node: 1, filledIn: false },
    { type: 'finished', path: [0, 1] },
  ]);
});

test('a path that was handed out is not changed by the next stroke', () => {
  const tracker = new GestureTracker(pad);
  tracker.press(centre(0));
  tracker.move(centre(2));
  tracker.release();
  const kept = tracker.path;
  tracker.press(centre(8));
  assert.deepEqual(kept, [0, 1, 2]);
  assert.deepEqual(tracker.path, [8]);
});

test('a press at exactly 0 is a press like any other', () => {
  const tracker = new GestureTracker(pad);
  tracker.press({ x: 0, y: 0 });
  assert.ok(tracker.isDrawing);
  assert.deepEqual(tracker.path, []);
});

test('places become units half away from zero, within four sides', () => {
  assert.equal(unitsPerSide, 8192);
  for (const [value, units] of [
    [0, 0], [1, 8192], [0.1667, 1366], [0.5 / 8192, 1], [-0.5 / 8192, -1], [-0.49 / 8192, 0],
    [1.5 / 8192, 2], [-1.5 / 8192, -2], [4, 32767], [-4, -32768], [99, 32767], [-99, -32768],
  ]) {
    assert.ok(Object.is(toUnits(value), units), `${value} → ${toUnits(value)}`);
  }
});
