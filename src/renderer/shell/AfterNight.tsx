import { AFTER_NIGHT, warningText, type AfterNight } from '../../shared/domain/telling/night-news.ts';
import { words } from '../../shared/words/words.ts';
import { Dialog } from '../design/Dialog.tsx';
import { Select } from '../design/Select.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { isShared } from '../state/app-state.ts';

const CHOICES: Readonly<Record<AfterNight, string>> = words.shell.afterNight.choices;

/** Chooses what happens once nothing more happens by itself: for this night only. */
export function AfterNightChoice() {
  const model = useAppModel();
  const afterNight = useApp((state) => state.presence?.afterNight);
  const isOnServer = useApp(isShared);
  // The night of workers does not concern this computer.
  if (afterNight === undefined || isOnServer) return null;
  const choose = async (value: string): Promise<void> => {
    const chosen = AFTER_NIGHT.find((one) => one === value);
    if (chosen === undefined) return;
    const reply = await model.ask('presence.set', { afterNight: chosen });
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <div className="row">
      <span className="soft">{words.shell.afterNight.label}</span>
      <Select
        label={words.shell.afterNight.label}
        value={afterNight}
        options={AFTER_NIGHT.map((value) => ({ value, words: CHOICES[value] }))}
        onChoose={(value) => void choose(value)}
      />
    </div>
  );
}

/** Shown for the minute in which it can be called off. */
export function AfterNightWarning() {
  const model = useAppModel();
  const warning = useApp((state) => state.presence?.warning);
  if (warning === undefined) return null;
  const callOff = async (): Promise<void> => {
    const reply = await model.ask('presence.callOff');
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <Dialog
      title={words.shell.afterNight.isOver}
      isQuestion
      decline={words.shell.afterNight.callOff}
      onClose={() => void callOff()}
    >
      {warningText(warning.action, warning.seconds)}
    </Dialog>
  );
}
