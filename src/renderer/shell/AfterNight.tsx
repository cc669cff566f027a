import { AFTER_NIGHT, warningText, type AfterNight } from '../../shared/domain/telling/night-news.ts';
import { Dialog } from '../design/Dialog.tsx';
import { Select } from '../design/Select.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { isShared } from '../state/app-state.ts';

const WORDS: Readonly<Record<AfterNight, string>> = {
  nothing: 'Stay on',
  quit: 'Quit Nocturne',
  sleep: 'Sleep',
  shutdown: 'Shut down',
};

/** Chooses what happens once nothing more happens by itself: for this night only. */
export function AfterNightChoice() {
  const model = useAppModel();
  const afterNight = useApp((state) => state.presence?.afterNight);
  const isOnServer = useApp(isShared);
  // The night of workers is none of this computer's.
  if (afterNight === undefined || isOnServer) return null;
  const choose = async (value: string): Promise<void> => {
    const chosen = AFTER_NIGHT.find((one) => one === value);
    if (chosen === undefined) return;
    const reply = await model.ask('presence.set', { afterNight: chosen });
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <div className="row">
      <span className="soft">After this night</span>
      <Select
        label="After this night"
        value={afterNight}
        options={AFTER_NIGHT.map((value) => ({ value, words: WORDS[value] }))}
        onChoose={(value) => void choose(value)}
      />
    </div>
  );
}

/** The minute in which it can be called off. */
export function AfterNightWarning() {
  const model = useAppModel();
  const warning = useApp((state) => state.presence?.warning);
  if (warning === undefined) return null;
  const callOff = async (): Promise<void> => {
    const reply = await model.ask('presence.callOff');
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <Dialog title="The night is over" isQuestion decline="Call it off" onClose={() => void callOff()}>
      {warningText(warning.action, warning.seconds)}
    </Dialog>
  );
}
