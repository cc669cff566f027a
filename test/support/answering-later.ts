/** Methods that answer piece by piece. */
const STREAMS: ReadonlySet<unknown> = new Set(['allRows', 'exportRows', 'tasksByStatus']);

/**
 * A part of a store that answers as if it were far away: each call is carried out some turns of the loop after it was
 * made, and answered some turns later. `turns` says how many, each time; `before` is called when a call is about to be
 * carried out.
 */
export function answeringLater<Part extends object>(
  part: Part,
  turns: () => number,
  before: (method: string) => Promise<unknown> = () => Promise.resolve(),
): Part {
  const call = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    await pass(turns());
    await before(name);
    const answer: unknown = await (Reflect.get(part, name) as (...all: readonly unknown[]) => unknown).apply(part, [
      ...args,
    ]);
    await pass(turns());
    return answer;
  };
  const stream = async function* (name: string, args: readonly unknown[]): AsyncGenerator {
    for await (const item of (await call(name, args)) as AsyncIterable<unknown>) {
      yield item;
      await pass(turns());
    }
  };
  return Object.fromEntries(
    Object.keys(part).map((name) => [
      name,
      (...args: readonly unknown[]) => (STREAMS.has(name) ? stream(name, args) : call(name, args)),
    ]),
  ) as Part;
}

/** Lets others run: first what waits for promises, and after many turns everything else, too. */
async function pass(turns: number): Promise<void> {
  for (let i = 0; i < turns; i += 1) await Promise.resolve();
  if (turns > LONG) await new Promise((resolve) => setImmediate(resolve));
}

const LONG = 20;
