import { CircleCheck, CircleX } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { ProfileChange } from '../../shared/domain/gateway/profile-difference.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import type { SettingsView } from '../../shared/ipc/app.ts';
import type { Reply } from '../../shared/ipc/contract.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { checkProfileText, freshDraft, readObject, undoneChanges } from '../state/profile-draft.ts';
import { KeyTrustSettings } from './KeyTrustSettings.tsx';
import { ProfileFields } from './ProfileFields.tsx';
import { ProfileSwitch } from './ProfileSwitch.tsx';
import styles from './ProfileEditor.module.css';

/** The profile as fields or as JSON, checked while the user types, with each mistake's path and remedy. */
export function ProfileEditor() {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const name = settings?.profileName ?? '';
  const draft = useStore(model.profileDrafts.store, (drafts) => drafts[name]);
  const [isBusy, run] = useBusy();
  const [tab, setTab] = useState('fields');
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
  const isReadable = readObject(text) !== undefined;
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
      </div>
      <Tabs.Root className="stack" value={isReadable ? tab : 'json'} onValueChange={setTab}>
        <Tabs.List className={styles.tabs} aria-label={words.settings.profile.howEdited}>
          <Tabs.Trigger className={styles.tab} value="fields" disabled={!isReadable}>
            {words.settings.profile.fields}
          </Tabs.Trigger>
          <Tabs.Trigger className={styles.tab} value="json">
            JSON
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="fields">
          <ProfileFields text={text} problems={problems} onChange={(next) => next !== undefined && type(next)} />
        </Tabs.Content>
        <Tabs.Content value="json">
          <div className={styles.editor} data-valid={problems.length === 0}>
            <textarea
              className={styles.text}
              aria-label={words.settings.profile.asJson}
              aria-describedby="profile-problems"
              spellCheck={false}
              value={text}
              onChange={(event) => type(event.target.value)}
            />
          </div>
        </Tabs.Content>
        <ProblemPane problems={problems} />
      </Tabs.Root>
      {undone.length > 0 && (
        <Callout level="warning" title={words.settings.profile.hasChanged}>
          {words.settings.profile.changesBack(undone.map(shownChange))}
        </Callout>
      )}
      <div className="row">
        <Button
          look={isChanged && problems.length === 0 ? 'primary' : 'secondary'}
          disabled={!isChanged || problems.length > 0 || isBusy}
          onClick={() => run(() => take(model.ask('profile.set', { text })))}
        >
          {words.settings.profile.save}
        </Button>
        <Button
          look="quiet"
          disabled={!isChanged}
          onClick={() => model.profileDrafts.set(name, freshDraft(draft.kept))}
        >
          {words.settings.profile.discard}
        </Button>
      </div>
    </>
  );
}

function shownChange({ path, before = '', after = '' }: ProfileChange): Required<Omit<ProfileChange, 'isWeighty'>> {
  return { path: shownLine(path), before: shownLine(before), after: shownLine(after) };
}

function ProblemPane({ problems }: { readonly problems: readonly ProfileProblem[] }) {
  return (
    <output id="profile-problems" className={styles.problems}>
      {problems.length === 0 ? (
        <p className="row soft">
          <CircleCheck className={styles.done} size={15} strokeWidth={1.75} aria-hidden />
          {words.settings.profile.isValid}
        </p>
      ) : (
        <>
          <p className="row wrong">
            <CircleX size={15} strokeWidth={1.75} aria-hidden />
            {words.settings.profile.mistakes(problems.length)}
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
