import type { JsonObject } from '../../shared/domain/base/json.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { SeededRandom } from '../random.ts';
import type { GatewayTask } from '../tasks.ts';

type DataMaker = (task: GatewayTask, random: SeededRandom) => JsonObject;

const DATA_MAKERS: Partial<Record<OperationPath, DataMaker>> = {
  'musicgen/music/lyrics': (task, random) => lyrics(textOf(task, 'prompt'), random),
  'musicgen/music/upsampleTags': (task, random) => ({ upsampled_tags: richTags(textOf(task, 'prompt'), random) }),
  'musicgen/music/persona': persona,
  'musicgen/music/upload': (task, random) => ({
    clips: audioUrls(task).map((url) => ({ clip_id: `clip-${hexId(random)}`, audio_url: url })),
  }),
  'musicgen/music/downbeats': (task, random) => downbeats(textOf(task, 'clip_id'), random),
  'musicgen/music/timing': (task, random) => timing(textOf(task, 'clip_id'), random),
};

/** The result of a task whose operation returns data, not media; undefined for operations that return media. */
export function dataResultOf(task: GatewayTask): JsonObject | undefined {
  return DATA_MAKERS[task.operation.path]?.(task, new SeededRandom(task.seed, 'data'));
}

function persona(task: GatewayTask, random: SeededRandom): JsonObject {
  return {
    persona_id: `persona-${hexId(random)}`,
    artist_clip_id: textOf(task, 'clip_id'),
    name: textOf(task, 'name') || 'Untitled voice',
    description: textOf(task, 'description'),
    is_public: task.body['is_public'] === true,
  };
}

function textOf(task: GatewayTask, field: string): string {
  const value = task.body[field];
  return typeof value === 'string' ? value : '';
}

function audioUrls(task: GatewayTask): readonly string[] {
  const urls = task.body['audioUrl'];
  return Array.isArray(urls) ? urls.filter((url): url is string => typeof url === 'string') : [];
}

function hexId(random: SeededRandom): string {
  const part = () => random.below(0x1_0000_0000).toString(16).padStart(8, '0');
  return `${part()}${part()}`;
}

const COMMON_WORDS = new Set(
  'a an and the of in on at to for with from by is are was it its my your our about song'.split(' '),
);

/** The words of a prompt worth singing about, in order, without repeats. */
function wordsOf(prompt: string): readonly string[] {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const telling = [...new Set(words)].filter((word) => word.length > 2 && !COMMON_WORDS.has(word));
  return telling.length > 0 ? telling : ['silence', 'morning'];
}

const VERSE_LINES = [
  'I left the light on for %, all night long',
  'There was % in the window, humming along',
  'Every road I wandered led back to %',
  'And the clock on the wall kept time with %',
  'We were young as % and twice as slow',
  'Tell me % again before you go',
  'Underneath the streetlamps, % and rain',
  'Somebody whispered % like a name',
];
const CHORUS_LINES = [
  'Oh, %, carry me through till the morning',
  'Sing it low, %, without any warning',
  'Hold on to %, let the night unwind',
  '%, %, always on my mind',
];

function lyrics(prompt: string, random: SeededRandom): JsonObject {
  const words = wordsOf(prompt);
  const fill = (line: string) => capitalized(line.replace(/%/g, () => random.pick(words)));
  const verse = (count: number) => Array.from({ length: count }, () => fill(random.pick(VERSE_LINES))).join('\n');
  const chorus = CHORUS_LINES.map(fill).join('\n');
  const title = words.slice(0, 3).map(capitalized).join(' ');
  const text = `[Verse 1]\n${verse(4)}\n\n[Chorus]\n${chorus}\n\n[Verse 2]\n${verse(4)}\n\n[Chorus]\n${chorus}\n\n[Outro]\n${verse(2)}`;
  return { title, text, tags: richTags(prompt, random) };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const TEXTURES = [
  'warm analogue pads',
  'brushed drums',
  'close-miked piano',
  'a round electric bass',
  'soft tape hiss',
  'glassy bells',
];
const MOODS = ['unhurried', 'wistful', 'bright', 'late-night', 'cinematic', 'intimate'];

function richTags(prompt: string, random: SeededRandom): string {
  const tempo = 70 + random.below(60);
  return [...wordsOf(prompt).slice(0, 8), random.pick(MOODS), random.pick(TEXTURES), `${tempo} bpm`].join(', ');
}

function downbeats(clipId: string, random: SeededRandom): JsonObject {
  const bpm = 70 + random.below(60);
  const barSeconds = (4 * 60) / bpm;
  return {
    clip_id: clipId,
    bpm,
    downbeats: Array.from({ length: 16 }, (_, bar) => milliseconds(0.12 + bar * barSeconds)),
  };
}

function timing(clipId: string, random: SeededRandom): JsonObject {
  const words = VERSE_LINES.slice(0, 4).join(' ').replace(/%/g, 'you').split(' ');
  let at = 0.4;
  const aligned = words.map((word) => {
    const start_s = milliseconds(at);
    const end_s = milliseconds(at + random.between(0.15, 0.45));
    at = end_s + random.between(0.02, 0.2);
    return { word, start_s, end_s, success: true };
  });
  return { clip_id: clipId, aligned_words: aligned };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
