/** A program of the user's own that puts a file somewhere, and prints where. */
import { placeAddressProblem, type FilesWay } from '../../shared/domain/places/files-place.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { Clock } from '../ports.ts';
import { runProgramWith } from '../telling/run-command.ts';
import { placeFailed, type FileStore } from './put-file.ts';

type CommandWay = Extract<FilesWay, { kind: 'command' }>['command'];

/** An address is no longer than this, and the program prints nothing else. */
const OUTPUT_BYTES = 8000;
const SHOWN = 80;

/** The place; the file is the last of the program's arguments. */
export function openCommandFiles({ argv, minutes }: CommandWay, clock: Clock): FileStore {
  return {
    async put({ path, sha256, bytes, type }, signal) {
      const env = {
        NOCTURNE_FILE_SHA256: sha256,
        NOCTURNE_FILE_BYTES: `${bytes}`,
        NOCTURNE_FILE_TYPE: type.mediaType,
      };
      const limits = { limitMs: minutes * 60_000, outputBytes: OUTPUT_BYTES, signal };
      const ended = await runProgramWith({ argv: [...argv, path], env, input: '', ...limits }, clock);
      signal.throwIfAborted();
      const program = argv[0] ?? '';
      if (!ended.wasStarted) return { ...placeFailed(`${program} ${ended.text}.`, false), ofPlace: true };
      if (!ended.isOk) return placeFailed(`${program} ${ended.text}.`, true);
      const address = ended.output.trim();
      const problem = printedProblem(address);
      if (problem !== undefined) return placeFailed(`${program} should print one address, and ${problem}.`, false);
      return { kind: 'put', name: sha256, address };
    },
    addressOf: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** What is wrong with what it has printed, after `and`; undefined if it is one address. */
function printedProblem(text: string): string | undefined {
  if (text === '') return 'printed nothing';
  if (text.length >= OUTPUT_BYTES) return 'printed more than that';
  if (/\s/u.test(text) || !URL.canParse(text)) return `printed “${visibleLine(text, SHOWN)}”`;
  // Behind the path it may be signed.
  const problem = placeAddressProblem(text.replace(/[?#].*$/u, ''), false);
  return problem === undefined ? undefined : `what it printed ${problem}`;
}
