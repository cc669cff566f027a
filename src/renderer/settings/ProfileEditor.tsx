import { ChevronDown, CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { ProfileChange } from '../../shared/domain/gateway/profile-difference.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import { FAMILIES, FAMILY_NAMES, type Family } from '../../shared/domain/operations/operations.ts';
import type { SettingsView } from '../../shared/ipc/app.ts';
import type { Reply } from '../../shared/ipc/contract.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { Menu, MenuGroup, MenuItem } from '../design/Menu.tsx';
import { countOf } from '../../shared/domain/base/text.ts';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import {
  checkProfileText,
  freshDraft,
  PRESET_TITLES,
  undoneChanges,
  withPreset,
  type StatusPreset,
} from '../state/profile-draft.ts';
import { KeyTrustSettings } from './KeyTrustSettings.tsx';
import { ProfileSwitch } from './ProfileSwitch.tsx';
import styles from './ProfileEditor.module.css';

/** The profile as JSON, checked while the user types, with each mistake's path and remedy. */
export function ProfileEditor() {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const name = settings?.profileName ?? '';
  const draft = useStore(model.profileDrafts.store, (drafts) => drafts[name]);
  const [isBusy, run] = useBusy();
  useEffect(() => {
    // The connection and the status meanings are parts of the profile; other screens may save either.
    if (settings === undefined) return undefined;
    let isGone = false;
    void model.ask('profile.get').then((reply) => {
      if (reply.ok && !isGone) model.profileDrafts.keep(settings.profileName, reply.value.text);
    });
    return () => {
      isGone = true;
    };
  }, [model, settings]);
  const text = draft?.text;
  const problems = useMemo(() => (text === undefined ? [] : checkProfileText(text)), [text]);
  if (settings === undefined || draft === undefined || text === undefined) return null;

  /** Begins again with the profile that was saved or imported. */
  const take = async (saving: Promise<Reply<SettingsView | undefined>>): Promise<void> => {
    const saved = await saving;
    if (!saved.ok || saved.value === undefined) return;
    const reply = await model.ask('profile.get');
    if (reply.ok) model.profileDrafts.set(saved.value.profileName, freshDraft(reply.value.text));
    // It was saved under another name: nothing is left of it under this one.
    if (!saved.value.profiles.includes(name)) model.profileDrafts.forget(name);
    model.app.setState({ settings: saved.value });
  };
  const type = (typed: string): void => model.profileDrafts.set(name, { ...draft, text: typed });
  const isChanged = text !== draft.kept;
  const undone = isChanged ? undoneChanges(draft) : [];
  return (
    <>
      <KeyTrustSettings />
      <div className="row wrap">
        <ProfileSwitch
          settings={settings}
          isDisabled={isBusy}
          onImport={() => run(() => take(model.ask('profile.import')))}
        />
        <PresetMenu
          onChoose={(family, preset) => {
            const next = withPreset(text, family, preset);
            if (next !== undefined) type(next);
          }}
        />
      </div>
      <div className={styles.editor} data-valid={problems.length === 0}>
        <textarea
          className={styles.text}
          aria-label="Profile, as JSON"
          aria-describedby="profile-problems"
          spellCheck={false}
          value={text}
          onChange={(event) => type(event.target.value)}
        />
        <ProblemPane problems={problems} />
      </div>
      {undone.length > 0 && (
        <Callout level="warning" title="The profile has changed in the meantime">
          Saving this draft would change back: {undone.map(undoneWords).join('; ')}. Correct the draft, or discard it.
        </Callout>
      )}
      <div className="row">
        <Button
          look={isChanged && problems.length === 0 ? 'primary' : 'secondary'}
          disabled={!isChanged || problems.length > 0 || isBusy}
          onClick={() => run(() => take(model.ask('profile.set', { text })))}
        >
          Save profile
        </Button>
        <Button
          look="quiet"
          disabled={!isChanged}
          onClick={() => model.profileDrafts.set(name, freshDraft(draft.kept))}
        >
          Discard changes
        </Button>
      </div>
    </>
  );
}

const PRESETS = Object.keys(PRESET_TITLES) as readonly StatusPreset[];

/** Puts a status table from a preset under a family. */
function PresetMenu({ onChoose }: { readonly onChoose: (family: Family, preset: StatusPreset) => void }) {
  return (
    <Menu
      button={
        <Button size="small">
          Status table from a preset
          <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
        </Button>
      }
    >
      {FAMILIES.map((family) => (
        <MenuGroup key={family} title={FAMILY_NAMES[family]}>
          {PRESETS.map((preset) => (
            <MenuItem key={preset} onSelect={() => onChoose(family, preset)}>
              {PRESET_TITLES[preset]}
            </MenuItem>
          ))}
        </MenuGroup>
      ))}
    </Menu>
  );
}

/** For example `baseUrl from “https://a.example” to “https://b.example”`. */
function undoneWords({ path, before = '', after = '' }: ProfileChange): string {
  return `${shownLine(path)} from “${shownLine(before)}” to “${shownLine(after)}”`;
}

function ProblemPane({ problems }: { readonly problems: readonly ProfileProblem[] }) {
  return (
    <output id="profile-problems" className={styles.problems}>
      {problems.length === 0 ? (
        <p className="row soft">
          <CircleCheck className={styles.done} size={15} strokeWidth={1.75} aria-hidden />
          The profile is valid.
        </p>
      ) : (
        <>
          <p className="row wrong">
            <CircleX size={15} strokeWidth={1.75} aria-hidden />
            {countOf(problems.length, 'mistake')}
          </p>
          <ul className="selectable">
            {problems.map(({ path, message, remedy }) => (
              <li key={`${path}/${message}`} className={styles.problem}>
                {path !== '' && <code>{shownLine(path)}</code>}
                <span>
                  {shownLine(message)} <span className="soft">{shownLine(remedy)}</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </output>
  );
}
