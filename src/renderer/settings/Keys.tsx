import { type FormEvent, type ReactNode, useState } from 'react';
import type { KeyStatus } from '../../shared/ipc/app.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { TextField } from '../design/Field.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { originOf } from '../state/app-state.ts';
import form from './GatewayForm.module.css';
import styles from './ListSettings.module.css';

/** The stored keys of other gateways, and the gateway among them whose key a batch waits for, if it is one. */
export function useOtherKeys(wanted: string | undefined): {
  readonly others: KeyStatus['kept'];
  readonly asked: string | undefined;
} {
  const own = useApp((state) => originOf(state.settings?.baseUrl ?? ''));
  const key = useApp((state) => state.key);
  const others = (key?.kept ?? []).filter(({ origin }) => origin !== own);
  return { others, asked: wanted === own ? undefined : wanted };
}

/** The keys of other gateways that batches were started with. */
export function OtherKeys({ others, asked }: ReturnType<typeof useOtherKeys>) {
  const { isForgetting, forget, forgetDialog } = useForgetKey();
  return (
    <>
      {asked !== undefined && <KeyField origin={asked} />}
      {others.length > 0 && (
        <ul className="card">
          {others.map(({ origin, last4 }) => (
            <li key={origin} className={joinClasses('row', styles.line)}>
              <span className="grow soft cut">{shownLine(origin)}</span>
              <span className="faint">{last4 === '' ? 'Key stored' : `Key ends in ${last4}`}</span>
              <Button size="small" look="quiet" disabled={isForgetting} onClick={() => forget(origin)}>
                Forget…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {forgetDialog}
    </>
  );
}

/** Takes the key for one gateway; it goes to no other. */
export function KeyField({ origin }: { readonly origin: string }) {
  const model = useAppModel();
  const [text, setText] = useState('');
  const [isBusy, run] = useBusy();
  const isKept = useApp((state) => state.key?.kept.some((kept) => kept.origin === origin) === true);
  const save = async (): Promise<void> => {
    const reply = await model.ask('key.set', { key: text, origin });
    if (!reply.ok) return;
    model.app.setState({ key: reply.value });
    setText('');
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text !== '') run(save);
  };
  return (
    <form className={joinClasses(form.form, 'stack')} onSubmit={submit} aria-label={`Key for ${shownLine(origin)}`}>
      <TextField
        label={`Key for ${shownLine(origin)}`}
        type="password"
        placeholder={isKept ? 'Stored. Enter another to replace it.' : 'Your aiKey'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint={isKept ? 'Stored. Resume the batch that waits for it.' : 'It is sent only to this gateway.'}
      />
      <div className="row">
        <Button type="submit" look={text === '' ? 'secondary' : 'primary'} disabled={text === '' || isBusy}>
          Save key
        </Button>
      </div>
    </form>
  );
}

/** Forgets the key for an origin, after asking: a key cannot be read back, and batches need it through the night. */
export function useForgetKey(): {
  readonly isForgetting: boolean;
  readonly forget: (origin: string) => void;
  readonly forgetDialog: ReactNode;
} {
  const model = useAppModel();
  const [asked, setAsked] = useState<string>();
  const [isForgetting, run] = useBusy();
  const forgetNow = async (origin: string): Promise<void> => {
    const reply = await model.ask('key.clear', { origin });
    if (reply.ok) model.app.setState({ key: reply.value });
  };
  const forgetDialog = asked !== undefined && (
    <ConfirmDialog
      title={`Forget the key for ${shownLine(asked)}?`}
      confirm="Forget the key"
      decline="Keep"
      onConfirm={() => run(() => forgetNow(asked))}
      onClose={() => setAsked(undefined)}
    >
      Without it nothing can be sent to this gateway or fetched from it: its batches pause until you enter the key
      again. Nocturne cannot show you the key, so make sure that you have it elsewhere.
    </ConfirmDialog>
  );
  return { isForgetting, forget: setAsked, forgetDialog };
}
