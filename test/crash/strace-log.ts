/** One system call as strace saw it; `startedAt` and `endedAt` are lines of its log, which is in order of time. */
export interface SystemCall {
  readonly name: string;
  /** The arguments as strace writes them: texts in quotes, a descriptor followed by its path in angle brackets. */
  readonly args: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Reads the log of `strace -f -y`. A call that another thread interrupts is written in two lines, `<unfinished ...>`
 * and `<... resumed>`; here it is one. Calls that failed or never ended are left out.
 */
export function readStraceLog(log: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, { readonly text: string; readonly startedAt: number }>();
  for (const [line, text] of log.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/su.exec(text) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, { text: rest.slice(0, -'<unfinished ...>'.length), startedAt: line });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/su.exec(rest);
    const begun = resumed ? unfinished.get(thread) : undefined;
    unfinished.delete(thread);
    const call = parseCall(begun ? begun.text + (resumed?.[1] ?? '') : rest);
    if (call !== undefined) calls.push({ ...call, startedAt: begun?.startedAt ?? line, endedAt: line });
  }
  return calls;
}

function parseCall(text: string): { readonly name: string; readonly args: string } | undefined {
  const [, name, args, result] = /^(\w+)\((.*)\)\s+= (-?\d+)/su.exec(text) ?? [];
  if (name === undefined || args === undefined || Number(result) < 0) return undefined;
  return { name, args };
}

/** The path behind the descriptor that is a call's first argument; undefined if it has none. */
export function pathOf(call: SystemCall): string | undefined {
  return /^\d+<([^>]*)>/u.exec(call.args)?.[1];
}

/** The texts among a call's arguments, without their quotes. */
export function textsOf(call: SystemCall): readonly string[] {
  return [...call.args.matchAll(/"((?:[^"\\]|\\.)*)"/gsu)].map((match) => match[1] ?? '');
}
