import { useApp, useAppModel } from '../state/app-context.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
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
        {words.settings.night.keepAwake}
      </label>
      {!presence.keepAwake && <p className="faint">{words.settings.night.fallsAsleep}</p>}
      <label className="row">
        <input
          type="checkbox"
          checked={presence.atLogin}
          onChange={(event) => void set({ atLogin: event.target.checked })}
        />
        {words.settings.night.atLogin}
      </label>
      <AfterNightChoice />
    </div>
  );
}
