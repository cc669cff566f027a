import { useApp, useAppModel } from '../state/app-context.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { AfterNightChoice } from '../shell/AfterNight.tsx';

/** What Nocturne does with this computer while a night goes on, and after it. */
export function NightSettings() {
  const model = useAppModel();
  const presence = useApp((state) => state.presence);
  if (presence === undefined) return null;
  const set = async (change: RouteInput<'presence.set'>): Promise<void> => {
    const reply = await model.ask('presence.set', change);
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <div className="stack">
      <label className="row">
        <input
          type="checkbox"
          checked={presence.keepAwake}
          onChange={(event) => void set({ keepAwake: event.target.checked })}
        />
        Keep this computer awake while there is work. The screen may go dark.
      </label>
      {!presence.keepAwake && (
        <p className="faint">
          If it falls asleep, the night waits until it is awake: nothing is lost, and what was being rendered is looked
          at before anything new is sent.
        </p>
      )}
      <label className="row">
        <input
          type="checkbox"
          checked={presence.atLogin}
          onChange={(event) => void set({ atLogin: event.target.checked })}
        />
        If a night is not finished, open Nocturne at login without its window, and continue where it stopped.
      </label>
      <AfterNightChoice />
    </div>
  );
}
