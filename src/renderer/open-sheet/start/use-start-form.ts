import { useStore } from 'zustand';
import { useApp, useAppModel } from '../../state/app-context.ts';
import { gatewayObstacle } from '../../state/settings-store.ts';
import { readRequestLimit, startChoice, type StartAnswers } from '../../state/start-forms.ts';

/** What is asked before a batch is started, with what the user has said so far. */
export interface StartForm {
  readonly answers: StartAnswers;
  readonly change: (change: Partial<StartAnswers>) => void;
  readonly isRehearsal: boolean;
  /** Why the real gateway cannot be chosen. */
  readonly obstacle: string | undefined;
  readonly chooseFolder: () => Promise<void>;
  readonly limit: ReturnType<typeof readRequestLimit>;
  /** What a batch is made with, or what has to be corrected first. */
  readonly choice: ReturnType<typeof startChoice>;
}

/** The form of an opened sheet or of a batch, by its id. */
export function useStartForm(id: string, beginning: StartAnswers): StartForm {
  const model = useAppModel();
  const obstacle = useApp((state) => gatewayObstacle(state.settings, state.key));
  const typed = useStore(model.bringIn.forms.store, (forms) => forms[id]);
  const answers = typed ?? beginning;
  const change = (changed: Partial<StartAnswers>): void => model.bringIn.forms.change(id, beginning, changed);
  const choice = startChoice(answers, obstacle !== undefined);
  return {
    answers,
    change,
    isRehearsal: answers.wantsRehearsal || obstacle !== undefined,
    obstacle,
    chooseFolder: async () => {
      const reply = await model.ask('folder.choose');
      if (reply.ok && reply.value !== undefined) change({ folder: reply.value });
    },
    limit: readRequestLimit(answers.limitText),
    choice,
  };
}
