import { type FormEvent, type ReactNode, useState } from 'react';
import { present } from '../../../shared/domain/base/result.ts';
import type { KeyPlace, KeyStatus } from '../../../shared/ipc/app.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { gatewayOf } from '../../state/account-choices.ts';
import { useApp, useAppModel, useAsking, useTyped } from '../../state/app-context.ts';
import { originOf } from '../../state/app-state.ts';
import form from './GatewayForm.module.css';
import styles from '../ListSettings.module.css';

/** The stored keys of gateways that are not in the list: batches that were started with them use these. */
export function useOtherKeys(): KeyStatus['kept'] {
  const gateways = useApp((state) => state.settings?.gateways);
  const kept = useApp((state) => state.key?.kept);
  const known = new Set(gateways?.map(({ baseUrl }) => originOf(baseUrl)));
  return (kept ?? []).filter(({ origin }) => !known.has(origin));
}

/** The stored keys of a gateway that have names: those of further accounts there. */
export function useNamedKeys(gateway: string): KeyStatus['kept'] {
  const origin = useApp((state) => gatewayOf(state.settings, gateway)?.origin);
  const kept = useApp((state) => state.key?.kept);
  return (kept ?? []).filter((one) => one.name !== undefined && one.origin === origin);
}

/** A key as it is called on screen: by its gateway, and by its name there. */
export function keyWords({ origin, name }: KeyPlace): string {
  return name === undefined ? shownLine(origin) : words.settings.keys.named(shownLine(name), shownLine(origin));
}

interface KeyListProps {
  readonly keys: KeyStatus['kept'];
  /** The key that a batch waits for, if it is to be entered here. */
  readonly asked: KeyPlace | undefined;
}

/** Keys other than a gateway's one key: each can be forgotten, and a missing one can be entered. */
export function KeyList({ keys, asked }: KeyListProps) {
  const { isForgetting, forget, forgetDialog } = useForgetKey();
  return (
    <>
      {asked !== undefined && <KeyField place={asked} />}
      {keys.length > 0 && (
        <ul className="card">
          {keys.map(({ last4, ...place }) => (
            <li key={keyWords(place)} className={joinClasses('row', styles.line)}>
              <span className="grow soft cut">{keyWords(place)}</span>
              <span className="faint">
                {last4 === '' ? words.settings.keys.stored : words.settings.keys.endsIn(last4)}
              </span>
              <Button size="small" look="quiet" disabled={isForgetting} onClick={() => forget(place)}>
                {words.settings.keys.forget}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {forgetDialog}
    </>
  );
}

/** Takes the key for one gateway, or one of several there; it goes to no other. */
export function KeyField({ place }: { readonly place: KeyPlace }) {
  const model = useAppModel();
  const [typed, type, saved] = useTyped(`key for ${keyWords(place)}`, 'secrets');
  const { text = '' } = typed;
  const [isBusy, run] = useBusy();
  const { ask, refused } = useAsking();
  const isKept = useApp((state) => isKeyKept(state.key, place));
  const label = words.settings.keys.keyFor(keyWords(place));
  const save = async (): Promise<void> => {
    const reply = await ask('key.set', { key: text, ...place });
    if (!reply.ok) return;
    model.app.setState({ key: reply.value });
    saved(typed);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text !== '') run(save);
  };
  return (
    <form className={joinClasses(form.form, 'stack')} onSubmit={submit} aria-label={label}>
      <TextField
        label={label}
        type="password"
        placeholder={isKept ? words.settings.keys.replace : words.settings.gateway.yourKey}
        value={text}
        onChange={(event) => type({ text: event.target.value })}
        refusal={refused.besides()}
        hint={isKept ? words.settings.keys.isKept : words.settings.keys.isSentTo}
      />
      <div className="row">
        <Button type="submit" look={text === '' ? 'secondary' : 'primary'} disabled={text === '' || isBusy}>
          {words.settings.keys.save}
        </Button>
      </div>
    </form>
  );
}

/** The key that the pause of a batch is about. */
export function keyWantedBy({ pause, gateway }: BatchView): KeyPlace {
  const failure = pause?.by === 'failure' ? pause.failure : undefined;
  return { origin: failure?.gateway ?? gateway, ...present({ name: failure?.keyName }) };
}

/** Whether there is a key for this place. */
export function isKeyKept(key: KeyStatus | undefined, { origin, name }: KeyPlace): boolean {
  return key?.kept.some((kept) => kept.origin === origin && kept.name === name) === true;
}

/** Forgets the key for an origin, after asking: a key cannot be read back, and batches need it through the night. */
export function useForgetKey(): {
  readonly isForgetting: boolean;
  readonly forget: (place: KeyPlace) => void;
  readonly forgetDialog: ReactNode;
} {
  const model = useAppModel();
  const [asked, setAsked] = useState<KeyPlace>();
  const [isForgetting, run] = useBusy();
  const forgetNow = async (place: KeyPlace): Promise<void> => {
    const reply = await model.ask('key.clear', { ...place });
    if (reply.ok) model.app.setState({ key: reply.value });
  };
  const forgetDialog = asked !== undefined && (
    <ConfirmDialog
      title={words.settings.keys.askForget(keyWords(asked))}
      confirm={words.settings.keys.forgetIt}
      decline={words.settings.keys.keep}
      onConfirm={() => run(() => forgetNow(asked))}
      onClose={() => setAsked(undefined)}
    >
      {words.settings.keys.forgetHint}
    </ConfirmDialog>
  );
  return { isForgetting, forget: setAsked, forgetDialog };
}
