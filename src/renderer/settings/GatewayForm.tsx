import { KeyRound, ShieldAlert } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { baseUrlProblem } from '../../shared/domain/gateway/profile.ts';
import { isUnencrypted, plainHttpProblem } from '../../shared/domain/gateway/hosts.ts';
import { type ConnectionReport, connectionWords } from '../../shared/domain/gateway/learned/connection.ts';
import type { KeyStatus } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { TextField } from '../design/Field.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { originOf } from '../state/app-state.ts';
import styles from './GatewayForm.module.css';
import { useForgetKey } from './Keys.tsx';

/** The gateway's address and key. The key goes one way only: it can be replaced and forgotten, never read. */
export function GatewayForm() {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const key = useApp((state) => state.key);
  const [baseUrl, setBaseUrl] = useState<string>();
  const [newKey, setNewKey] = useState('');
  const [isBusy, run] = useBusy();
  const [tested, setTested] = useState<{ readonly origin: string | undefined; readonly report: ConnectionReport }>();
  const { isForgetting, forget, forgetDialog } = useForgetKey();
  if (settings === undefined || key === undefined) return null;

  const url = (baseUrl ?? settings.baseUrl).trim();
  const urlProblem =
    baseUrl === undefined || url === ''
      ? undefined
      : (baseUrlProblem(url) ?? plainHttpProblem(url, settings.allowPlainHttp));
  const isNewUrl = url !== settings.baseUrl;
  const origin = originOf(url);
  const kept = key.kept.find((one) => one.origin === origin && one.name === undefined);
  const canSave = url !== '' && urlProblem === undefined && (isNewUrl || newKey !== '');

  /** False if it was refused, or the user said no. */
  const save = async (): Promise<boolean> => {
    setTested(undefined);
    if (isNewUrl) {
      const reply = await model.ask('gateway.setBaseUrl', { baseUrl: url });
      if (!reply.ok || reply.value === undefined) return false;
      model.app.setState({ settings: reply.value });
      setBaseUrl(undefined);
    }
    const reply = newKey === '' ? await model.ask('key.status') : await model.ask('key.set', { key: newKey });
    if (!reply.ok) return false;
    model.app.setState({ key: reply.value });
    setNewKey('');
    return true;
  };
  const test = async (): Promise<void> => {
    if (canSave && !(await save())) return;
    setTested(undefined);
    const reply = await model.ask('gateway.test');
    if (reply.ok) setTested({ origin, report: reply.value });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) run(async () => void (await save()));
  };

  return (
    <form className={joinClasses(styles.form, 'stack')} onSubmit={submit} aria-label={words.settings.gateway.form}>
      <TextField
        label={words.settings.gateway.baseUrl}
        placeholder="https://gateway.example/api"
        inputMode="url"
        value={baseUrl ?? settings.baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        problem={urlProblem === undefined ? undefined : words.settings.gateway.wrongUrl(urlProblem)}
        hint={words.settings.gateway.urlHint}
      />
      <TextField
        label={words.settings.gateway.key}
        type="password"
        placeholder={kept === undefined ? words.settings.gateway.yourKey : words.settings.gateway.keyStored(kept.last4)}
        value={newKey}
        onChange={(event) => setNewKey(event.target.value)}
        hint={isNewUrl ? hintForNewUrl(kept !== undefined, key.kept.length > 0) : undefined}
      />
      {isUnencrypted(url) && urlProblem === undefined && (
        <Callout level="error" title={words.settings.gateway.isPlain}>
          {words.settings.gateway.isPlainHint}
        </Callout>
      )}
      <KeyPlace status={key} />
      <div className="row">
        <Button type="submit" look={canSave ? 'primary' : 'secondary'} disabled={!canSave || isBusy}>
          {words.settings.gateway.save}
        </Button>
        <Button
          disabled={isBusy || url === '' || urlProblem !== undefined}
          title={words.settings.gateway.testHint}
          onClick={() => run(test)}
        >
          {canSave ? words.settings.gateway.saveAndTest : words.settings.gateway.test}
        </Button>
        {key.present && (
          <Button look="quiet" disabled={isBusy || isForgetting} onClick={() => forget({ origin: key.origin })}>
            {words.settings.gateway.forget}
          </Button>
        )}
      </div>
      {tested !== undefined && tested.origin === origin && <ConnectionFindings report={tested.report} />}
      {forgetDialog}
    </form>
  );
}

function hintForNewUrl(hasKey: boolean, hasOtherKeys: boolean): string | undefined {
  if (hasKey) return words.settings.gateway.keyOfNewUrl;
  if (!hasOtherKeys) return undefined;
  return words.settings.gateway.noKeyOfNewUrl;
}

/** Where the key really is kept. */
function KeyPlace({ status }: { readonly status: KeyStatus }) {
  const isSafe = status.storage === 'keyring';
  const Icon = isSafe ? KeyRound : ShieldAlert;
  return (
    <p className={joinClasses('row soft', styles.place)} data-storage={status.storage} data-testid="key-place">
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span>
        {words.common.sentences([
          isSafe ? words.settings.gateway.inKeyring : words.settings.gateway.inMemory,
          status.present ? words.settings.gateway.stored(status.last4, status.origin) : '',
        ])}
      </span>
    </p>
  );
}

/** What a test of the connection has shown: what it means, what to do, and what came. */
export function ConnectionFindings({ report }: { readonly report: ConnectionReport }) {
  const { title, advice } = connectionWords(report);
  const { result, asked, came, body } = report;
  return (
    <Callout level={LEVELS[result]} title={title}>
      <p>{advice}</p>
      <p className="faint">
        {words.settings.gateway.asked} <code>GET {shownLine(asked)}</code>
      </p>
      <p className="faint">
        {words.settings.gateway.came} {shownLine(came)}{' '}
        {body !== undefined && body !== '' && <code>{shownLine(body)}</code>}
      </p>
    </Callout>
  );
}

const LEVELS = {
  works: 'info',
  'key-missing': 'info',
  unclear: 'warning',
  'key-rejected': 'error',
  'not-a-gateway': 'error',
  unreachable: 'error',
} as const;
