import { CircleCheck, CircleX } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { ProfileChange } from '../../../shared/domain/gateway/profile-difference.ts';
import type { ProfileProblem } from '../../../shared/domain/gateway/profile-problem.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';
import { checkProfileText, freshDraft, readObject, undoneChanges } from '../../state/profile-draft.ts';
import { ProfileFields } from './ProfileFields.tsx';
import styles from './ProfileEditor.module.css';

/** The profile of a gateway as fields or as JSON, checked while the user types, with each mistake's path and remedy. */
export function ProfileEditor({ gateway: name }: { readonly gateway: string }) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const draft = useStore(model.profileDrafts.store, (drafts) => drafts[name]);
  const [isBusy, run] = useBusy();
  const [tab, setTab] = useState('fields');
  useEffect(() => {
    // The connection and the status meanings are parts of the profile; other screens may save either.
    if (settings === undefined) return undefined;
    let isGone = false;
    void model.client.request('profile.get', { profile: name }).then((reply) => {
      if (reply.ok && !isGone) model.profileDrafts.keep(name, reply.value.text);
    });
    return () => {
      isGone = true;
    };
  }, [model, settings, name]);
  const text = draft?.text;
  const problems = useMemo(() => (text === undefined ? [] : checkProfileText(text)), [text]);
  if (settings === undefined || draft === undefined || text === undefined) return null;

  const isThere = settings.profiles.includes(name);
  /** Starts again from the profile as it is saved. A profile that was deleted meanwhile is added again. */
  const save = async (): Promise<void> => {
    const saved = isThere
      ? await model.ask('profile.set', { profile: name, text })
      : await model.ask('profile.create', { text });
    if (!saved.ok || saved.value === undefined) return;
    const reply = await model.ask('profile.get', { profile: saved.value.profile });
    if (reply.ok) model.profileDrafts.saved(name, saved.value.profile, text, reply.value.text);
    model.gateways.saved(name, saved.value);
  };
  const type = (typed: string): void => model.profileDrafts.set(name, { ...draft, text: typed });
  const isChanged = text !== draft.kept;
  const canSave = (isChanged || !isThere) && problems.length === 0;
  const isReadable = readObject(text) !== undefined;
  const undone = isChanged ? undoneChanges(draft) : [];
  return (
    <>
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
        <Button look={canSave ? 'primary' : 'secondary'} disabled={!canSave || isBusy} onClick={() => run(save)}>
          {isThere ? words.settings.profile.save : words.settings.gateways.addAgain}
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
