import { setImmediate as soon } from 'node:timers/promises';
import type { FuzzTarget } from './target.ts';

/** Targets that do what no reader may do: the harness must find each of them out. They are no part of a campaign. */

const input = { extension: 'bin', seededCases: 0, makeInput: () => new Uint8Array([1, 2, 3]) };
const held: Buffer[] = [];

export const BROKEN_TARGETS: readonly FuzzTarget[] = [
  { ...input, name: 'broken-sound', check: () => undefined },
  {
    ...input,
    name: 'broken-slow-input',
    makeInput: () => {
      const endAt = performance.now() + 3000;
      while (performance.now() < endAt);
      return input.makeInput();
    },
    check: () => undefined,
  },
  {
    ...input,
    name: 'broken-hang',
    check: () => {
      for (;;);
    },
  },
  { ...input, name: 'broken-wait', check: () => new Promise(() => setInterval(() => undefined, 1000)) },
  {
    ...input,
    name: 'broken-throw',
    check: () => {
      throw new TypeError('thrown by the reader');
    },
  },
  {
    ...input,
    name: 'broken-rejection',
    check: async () => {
      void Promise.reject(new Error('left alone by the reader'));
      await soon();
    },
  },
  {
    ...input,
    name: 'broken-heap',
    check: () => {
      const lists: number[][] = [];
      for (;;) lists.push(Array.from({ length: 100_000 }, () => Math.random()));
    },
  },
  {
    ...input,
    name: 'broken-memory',
    check: () => {
      for (let left = 24; left > 0; left -= 1) held.push(Buffer.alloc(16 << 20, 1));
    },
  },
  { ...input, name: 'broken-exit', check: () => process.exit(3) },
  {
    ...input,
    name: 'broken-prototype',
    check: () => {
      // What a careless merge of parsed JSON does.
      const path: Record<string, Record<string, boolean>> = {};
      Object.assign(path['__proto__'] ?? {}, { polluted: true });
    },
  },
];
