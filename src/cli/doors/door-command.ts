/** A command of the doors: once, for HTTP, the Model Context Protocol, the OpenAPI document and the docs. */
import type { z } from 'zod';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { DoorAnswer, Refusal } from './door-answer.ts';
import type { DoorHost } from './door-host.ts';

/** `pays`: something may be charged for it, so it needs a cap; `changes`: nothing is ever charged for it. */
export type Effect = 'looks' | 'changes' | 'pays';

/** A command as its table has it. */
export interface DoorCommand<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** In lower case with `_`: a path over HTTP, a tool's name for an assistant. */
  readonly name: string;
  readonly title: string;
  /** For whoever decides whether to call it. */
  readonly description: string;
  readonly effect: Effect;
  /** Called again with the same input, it changes nothing more. */
  readonly isIdempotent?: true;
  readonly input: I;
  readonly output: O;
  run(host: DoorHost, input: z.output<I>): Promise<DoorAnswer<z.input<O>>>;
}

/** Has the compiler check a command against its own schemas, and forgets them for the table. */
export function doorCommand<I extends z.ZodObject, O extends z.ZodObject>(command: DoorCommand<I, O>): DoorCommand {
  return command;
}

/** How many mistakes of an input are named. */
const NAMED = 10;

/** What is wrong with an input, by its first mistake and by a list of them. */
export function invalidInput({ name }: DoorCommand, { issues }: z.ZodError): Refusal {
  const fields = issues.slice(0, NAMED).map(({ path, message }) => ({
    path: visibleLine(path.map(String).join('.'), 200),
    message: visibleLine(message, 300),
  }));
  const [first] = fields;
  const where = first === undefined || first.path === '' ? '' : ` ${first.path}:`;
  return {
    kind: 'invalid-input',
    message: `The input of ${name} is not valid:${where} ${first?.message ?? ''}`.trim(),
    remedy: 'Send what its schema describes.',
    fields,
  };
}
