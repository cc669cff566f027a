import Conf from 'conf';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

interface TaskState {
  readonly row: string;
  readonly operation: string;
  readonly status: string;
  readonly taskCode: string;
  readonly dueAt: number;
  readonly polls: number;
}

/**
 * The same updates with the tasks in a JSON file of conf, the base of electron-store: each update writes the whole
 * file. Input: `folder`, `tasks`, `updates`.
 */
export async function updateConf(input: ContenderInput): Promise<Figures> {
  const count = numberIn(input, 'tasks');
  const updates = numberIn(input, 'updates');
  const conf = new Conf<{ tasks: Record<string, TaskState> }>({ cwd: textIn(input, 'folder'), projectName: 'bench' });
  conf.set('tasks', Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, stateOf(i, 0)])));
  const cost = await measure(() => {
    for (let i = 0; i < updates; i += 1) conf.set(`tasks.t${i % count}`, stateOf(i, 1));
  });
  return { ...cost, perSecond: (updates / cost.wallMs) * 1000 };
}

function stateOf(i: number, polls: number): TaskState {
  return {
    row: `r${i}`,
    operation: 'musicgen/music/generate',
    status: 'rendering',
    taskCode: `code-${i}`,
    dueAt: Date.now() + 5000,
    polls,
  };
}
