import { useState } from 'react';
import { useApp, useAppModel } from '../state/app-context.ts';
import { gatewayObstacle } from '../state/settings-store.ts';
import { readMaxSubmits } from '../state/start-form.ts';

/** What is asked before a batch is started, with what the user has said so far. */
export interface StartForm {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly isRehearsal: boolean;
  readonly setRehearsal: (isRehearsal: boolean) => void;
  /** Why the real gateway cannot be chosen. */
  readonly obstacle: string | undefined;
  readonly folder: { readonly folderId: string; readonly path: string } | undefined;
  readonly chooseFolder: () => Promise<void>;
  readonly maxText: string;
  readonly setMaxText: (text: string) => void;
  readonly max: ReturnType<typeof readMaxSubmits>;
  readonly isComplete: boolean;
}

export interface StartFormBeginning {
  readonly name: string;
  readonly isRehearsal: boolean;
  readonly maxSubmits?: number | undefined;
}

export function useStartForm(beginning: StartFormBeginning): StartForm {
  const model = useAppModel();
  const obstacle = useApp((state) => gatewayObstacle(state.settings, state.key));
  const [name, setName] = useState(beginning.name);
  const [folder, setFolder] = useState<StartForm['folder']>();
  const [wantsRehearsal, setRehearsal] = useState(beginning.isRehearsal);
  const [maxText, setMaxText] = useState(beginning.maxSubmits === undefined ? '' : String(beginning.maxSubmits));
  const max = readMaxSubmits(maxText);
  return {
    name,
    setName,
    isRehearsal: wantsRehearsal || obstacle !== undefined,
    setRehearsal,
    obstacle,
    folder,
    chooseFolder: async () => {
      const reply = await model.ask('folder.choose');
      if (reply.ok && reply.value !== undefined) setFolder(reply.value);
    },
    maxText,
    setMaxText,
    max,
    isComplete: name.trim() !== '' && max.ok,
  };
}
