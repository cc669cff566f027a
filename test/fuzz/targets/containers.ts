import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { memorySource } from '../../../src/engine/media-folder/containers/container-check.ts';
import { verifySource } from '../../../src/engine/media-folder/checks/verify-media.ts';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { forgetfulSource } from '../../support/forgetful-source.ts';
import { EBML_TREE, ISO_TREE, OGG_TREE, PNG_TREE, RIFF_TREE } from '../media-trees.ts';
import type { MediaTree } from '../media-trees.ts';
import { LARGEST_INPUT_BYTES, mutateBytes } from '../mutate-bytes.ts';
import { mutateParts } from '../mutate-parts.ts';
import type { FuzzTarget } from '../target.ts';

/** Whole files that show every cut, and such that do not: where frames or tags end, a shorter file is whole, too. */
interface Samples {
  readonly closed: readonly string[];
  readonly open?: readonly string[];
  readonly tree?: MediaTree;
}

const SAMPLES: Readonly<Record<string, Samples>> = {
  mp4: {
    closed: ['clip.mp4', 'clip-faststart.mp4', 'clip-fragmented.mp4', 'clip.mov', 'tone.m4a'],
    open: ['clip-indexed.mp4'],
    tree: ISO_TREE,
  },
  webm: { closed: ['clip.webm', 'tone.webm'], open: ['clip-live.webm'], tree: EBML_TREE },
  ogg: { closed: ['clip.ogv', 'tone-opus.ogg', 'tone-vorbis.ogg'], tree: OGG_TREE },
  mp3: { closed: ['tone-cbr.mp3', 'tone-vbr.mp3'], open: ['tone-bare.mp3', 'tone-id3v1.mp3'] },
  flac: { closed: ['tone.flac'] },
  riff: {
    closed: ['tone.wav', 'picture.webp', 'picture-animated.webp', 'picture-lossless.webp'],
    open: ['tone-piped.wav'],
    tree: RIFF_TREE,
  },
  gif: { closed: ['picture.gif', 'picture-animated.gif'] },
  png: { closed: ['picture.png'], tree: PNG_TREE },
  jpeg: { closed: ['picture.jpg', 'picture-progressive.jpg'] },
};

function sample(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url));
}

/** Containers: what is cut off is never called whole, and bytes are not looked at once the next ones were read. */
export const CONTAINER_TARGETS: readonly FuzzTarget[] = Object.entries(SAMPLES).map(
  ([name, { closed, open = [], tree }]) => {
    const wholes = closed.map(sample);
    const all = [...wholes, ...open.map(sample)];
    const trees = tree === undefined ? [] : all.map((bytes) => tree.parse(bytes));
    return {
      name,
      extension: 'bin',
      seededCases: 80,
      makeInput(random: SeededRandom) {
        const at = random.below(all.length);
        const bytes = all[at] ?? Buffer.alloc(0);
        const parts = trees[at];
        const way = random.below(8);
        if (way === 0) return bytes.subarray(0, random.below(bytes.length));
        if (way > 5 || tree === undefined || parts === undefined) return mutateBytes(bytes, random, all);
        return tree.write(mutateParts(parts, random, random.pick(trees))).subarray(0, LARGEST_INPUT_BYTES);
      },
      async check(input) {
        const bytes = Buffer.from(input);
        const verdict = await verifySource(memorySource(bytes));
        assert.deepEqual(
          await verifySource(forgetfulSource(bytes)),
          verdict,
          'it depends on bytes that were read before',
        );
        const isCut = wholes.some((one) => bytes.length < one.length && one.subarray(0, bytes.length).equals(bytes));
        // Between two fragments nothing shows that there were more: the length of the download has to.
        const isBelieved = verdict.kind === 'media' && verdict.endProven;
        assert.ok(!isCut || !isBelieved, `a file that is cut off is called ${JSON.stringify(verdict)}`);
      },
    };
  },
);
