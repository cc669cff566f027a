/**
 * How many turns of the event loop pass while `work` goes on: whether others get their turn, whatever the machine does.
 */
export async function turnsWhile(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work;
  } finally {
    isOver = true;
  }
  return turns;
}
