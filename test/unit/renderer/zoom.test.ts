import { describe, expect, test } from 'vitest';
import { dragBy, PIXELS, zoomBy, type Sight } from '../../../src/renderer/review/zoom.ts';

const SIGHT: Sight = { width: 800, height: 600, pictureWidth: 2000, pictureHeight: 1000 };

describe('a picture that is zoomed into', () => {
  test('what the pointer is on stays below it', () => {
    const at = { x: 200, y: -100 };
    const before = { scale: 1, x: 0.5, y: 0.5 };
    const after = zoomBy(before, SIGHT, 2, at);
    expect(after?.scale).toBe(2);
    // It was 200 pixels right of the middle, and is 100 of the picture's right of the new one.
    expect(after?.x).toBeCloseTo(0.6 - 100 / 2000);
    expect(after?.y).toBeCloseTo(0.4 + 50 / 1000);
  });

  test('who passes by the true size gets it, and at its end all of it fits again', () => {
    const near = zoomBy(undefined, SIGHT, 2);
    expect(near?.scale).toBeCloseTo(0.8);
    expect(zoomBy(near, SIGHT, 2)?.scale).toBe(1);
    expect(zoomBy(near, SIGHT, 0.1)).toBeUndefined();
    expect(zoomBy(PIXELS, SIGHT, 1_000)?.scale).toBe(16);
  });

  test('it is not dragged away from its place, and one with room beside it is in the middle', () => {
    expect(dragBy(PIXELS, SIGHT, 5_000, 5_000)).toEqual({ scale: 1, x: 0.2, y: 0.3 });
    expect(dragBy(PIXELS, { ...SIGHT, width: 3_000 }, -100, -100)).toEqual({ scale: 1, x: 0.5, y: 0.6 });
  });

  test('a picture smaller than its place goes down to its true size', () => {
    const small = { ...SIGHT, pictureWidth: 100, pictureHeight: 100 };
    expect(zoomBy(undefined, small, 0.5)?.scale).toBe(3);
    expect(zoomBy({ ...PIXELS, scale: 1.1 }, small, 0.5)?.scale).toBe(1);
    expect(zoomBy(PIXELS, small, 0.5)?.scale).toBe(1);
  });
});
