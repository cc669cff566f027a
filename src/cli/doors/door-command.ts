/** A command of the doors, defined once for HTTP, the Model Context Protocol, the OpenAPI document and the docs. */
import type { z } from 'zod';
import type { DoorAnswer, Refusal } from './door-answer.ts';
import type { DoorHost } from './door-host.ts';
import { inputMistakes } from './input-mistakes.ts';

/** `pays`: something may be charged for it, so it needs a cap; `changes`: nothing is ever charged for it. */
export type Effect = 'looks' | 'changes' | 'pays';

/** What an effect means, to decide whether to call a command. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  looks: 'Changes nothing.',
  changes: 'Changes something; nothing is ever charged for it.',
  pays: 'Something may be charged for it: refused without a cap.',
};

/** A command as its table has it. */
export interface DoorCommand<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** In lower case with `_`: a path over HTTP, a tool's name for an assistant. */
  readonly name: string;
  readonly title: string;
  /** Read to decide whether to call the command. */
  readonly description: string;
  readonly effect: Effect;
  /** Calling it again with the same input changes nothing more. */
  readonly isIdempotent?: true;
  readonly input: I;
  readonly output: O;
  run(host: DoorHost, input: z.output<I>): Promise<DoorAnswer<z.input<O>>>;
}

/** Has the compiler check a command against its own schemas, and forgets them for the table. */
export function doorCommand<I extends z.ZodObject, O extends z.ZodObject>(command: DoorCommand<I, O>): DoorCommand {
  return command;
}

/** What is wrong with an input: its first mistake in words, and each by its field. */
export function invalidInput({ name, input }: DoorCommand, { issues }: z.ZodError): Refusal {
  const fields = inputMistakes(issues, Object.keys(input.shape));
  const [first] = fields;
  return {
    kind: 'invalid-input',
    message: `The input of ${name} is not valid: ${first?.message ?? ''}`.trim(),
    remedy: first?.remedy ?? 'Send what its schema describes.',
    fields,
  };
}
