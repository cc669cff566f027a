/** The user's own program, which puts a file somewhere and prints where. */
import { placeAddressProblem, type FilesWay } from '../../shared/domain/places/files-place.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { Clock } from '../ports/base.ts';
import { runProgramWith, type ProgramEnd } from '../telling/run-command.ts';
import { placeFailed, type FileStore, type PlaceProblem } from './put-file.ts';

type CommandWay = Extract<FilesWay, { kind: 'command' }>['command'];

/** An address is no longer than this, and the program prints nothing else. */
const OUTPUT_BYTES = 8000;
const SHOWN = 80;

/** Opens the place; the file is the program's last argument. */
export function openCommandFiles({ argv, minutes, delete: removal }: CommandWay, clock: Clock): FileStore {
  return {
    async put({ path, sha256, bytes, type }, signal, beforeSent) {
      await beforeSent(sha256);
      const env = {
        NOCTURNE_FILE_SHA256: sha256,
        NOCTURNE_FILE_BYTES: `${bytes}`,
        NOCTURNE_FILE_TYPE: type.mediaType,
      };
      const limits = { limitMs: minutes * 60_000, outputBytes: OUTPUT_BYTES, signal };
      const ended = await runProgramWith({ argv: [...argv, path], env, input: '', ...limits }, clock);
      signal.throwIfAborted();
      const program = argv[0] ?? '';
      const failed = failureOf(program, ended);
      if (failed !== undefined) return failed;
      const address = ended.output.trim();
      const problem = printedProblem(address);
      if (problem !== undefined) return placeFailed(reason('place.notPrinted', program, problem), false);
      return { kind: 'put', name: sha256, address };
    },
    async remove({ sha256, address = '' }, signal) {
      if (removal === undefined) return { ...placeFailed(reason('place.noDeleter'), false), ofPlace: true };
      const limits = { limitMs: minutes * 60_000, signal };
      const env = { NOCTURNE_FILE_SHA256: sha256 };
      const ended = await runProgramWith({ argv: [...removal, address], env, input: '', ...limits }, clock);
      signal.throwIfAborted();
      return failureOf(removal[0] ?? '', ended) ?? { kind: 'gone' };
    },
    addressOf: () => undefined,
    close: () => Promise.resolve(),
  };
}

function failureOf(program: string, { wasStarted, isOk, said }: ProgramEnd): PlaceProblem | undefined {
  const ended = reason('place.ended', program, said);
  if (!wasStarted) return { ...placeFailed(ended, false), ofPlace: true };
  return isOk ? undefined : placeFailed(ended, true);
}

/** What is wrong with the program's output, to follow `and`; undefined if it is a single address. */
function printedProblem(text: string): Reason | undefined {
  if (text === '') return reason('place.printedNothing');
  if (text.length >= OUTPUT_BYTES) return reason('place.printedMore');
  if (/\s/u.test(text) || !URL.canParse(text)) return reason('place.printed', visibleLine(text, SHOWN));
  // A signature may follow the path.
  const problem = placeAddressProblem(text.replace(/[?#].*$/u, ''), false);
  return problem === undefined ? undefined : reason('place.printedWrong', problem);
}
