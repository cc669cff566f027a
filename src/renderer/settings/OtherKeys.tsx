import { useState, type FormEvent } from 'react';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/Field.tsx';
import page from '../design/Page.module.css';
import { useBusy } from '../design/use-busy.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { originOf } from '../state/settings-store.ts';
import form from './GatewayForm.module.css';
import styles from './ListSettings.module.css';
import { useForgetKey } from './use-forget-key.tsx';

/** The keys of gateways that batches were started with, other than the one that is connected now. */
export function OtherKeys({ wanted }: { readonly wanted: string | undefined }) {
  const settings = useApp((state) => state.settings);
  const key = useApp((state) => state.key);
  const { isForgetting, forget, forgetDialog } = useForgetKey();
  const own = originOf(settings?.baseUrl ?? '');
  const others = (key?.kept ?? []).filter(({ origin }) => origin !== own);
  const asked = wanted === own ? undefined : wanted;
  if (others.length === 0 && asked === undefined) return null;
  return (
    <section id="settings-keys" className={page.section} aria-labelledby="keys-title">
      <h2 id="keys-title" className={page.sectionTitle}>
        Keys of other gateways
      </h2>
      <p className={page.sectionText}>
        A batch stays with the gateway it was started with, and uses the key of that gateway.
      </p>
      {asked !== undefined && <KeyField origin={asked} />}
      {others.length > 0 && (
        <ul className={page.card}>
          {others.map(({ origin, last4 }) => (
            <li key={origin} className={styles.line}>
              <span className={styles.items}>{visibleLine(origin)}</span>
              <span className={styles.count}>{last4 === '' ? 'Key stored' : `Key ends in ${last4}`}</span>
              <Button size="small" look="quiet" disabled={isForgetting} onClick={() => forget(origin)}>
                Forget…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {forgetDialog}
    </section>
  );
}

/** Takes the key for one gateway, which goes to no other. */
function KeyField({ origin }: { readonly origin: string }) {
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
    <form className={form.form} onSubmit={submit} aria-label={`Key for ${visibleLine(origin)}`}>
      <TextField
        label={`Key for ${visibleLine(origin)}`}
        type="password"
        placeholder={isKept ? 'Stored. Enter another to replace it.' : 'Your aiKey'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint={isKept ? 'Stored. Resume the batch that waits for it.' : 'It is sent to this gateway and to no other.'}
      />
      <div className={form.buttons}>
        <Button type="submit" look={text === '' ? 'secondary' : 'primary'} disabled={text === '' || isBusy}>
          Save key
        </Button>
      </div>
    </form>
  );
}
