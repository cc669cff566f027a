import { KeyRound, ShieldAlert } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { keyProblem } from '../../../shared/domain/base/key-finder.ts';
import { baseUrlProblem } from '../../../shared/domain/gateway/profile.ts';
import { isUnencrypted, plainHttpProblem } from '../../../shared/domain/gateway/hosts.ts';
import { type ConnectionReport, connectionWords } from '../../../shared/domain/gateway/learned/connection.ts';
import type { KeyStatus } from '../../../shared/ipc/app.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { gatewayOf } from '../../state/account-choices.ts';
import { useApp, useAppModel, useTyped } from '../../state/app-context.ts';
import { originOf } from '../../state/app-state.ts';
import { GATEWAY_FORMS } from '../../state/profile-draft.ts';
import styles from './GatewayForm.module.css';
import { useForgetKey } from './Keys.tsx';

/** A gateway's address and key. The key goes one way only: it can be replaced and forgotten, never read. */
export function GatewayForm({ gateway: name }: { readonly gateway: string }) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const key = useApp((state) => state.key);
  const form = GATEWAY_FORMS.connection(name);
  const [typed, type, savedUrl] = useTyped(form);
  const [typedKey, typeKey, savedKey] = useTyped(form, 'secrets');
  const { baseUrl } = typed;
  const { newKey = '' } = typedKey;
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, run] = useBusy();
  const [tested, setTested] = useState<{ readonly url: string; readonly report: ConnectionReport }>();
  const { isForgetting, forget, forgetDialog } = useForgetKey();
  if (settings === undefined || key === undefined) return null;

  // If the gateway was deleted meanwhile, what was typed stays.
  const saved = gatewayOf(settings, name) ?? { baseUrl: '', allowPlainHttp: false, origin: undefined };
  const url = (baseUrl ?? saved.baseUrl).trim();
  const urlProblem =
    baseUrl === undefined || url === ''
      ? undefined
      : (baseUrlProblem(url) ?? plainHttpProblem(url, saved.allowPlainHttp));
  const isNewUrl = url !== saved.baseUrl;
  const origin = originOf(url);
  const keptFor = (place: string | undefined) => key.kept.find((one) => one.origin === place && one.name === undefined);
  const [kept, keptOfSaved] = [keptFor(origin), keptFor(saved.origin)];
  const canSave = url !== '' && urlProblem === undefined && (isNewUrl || newKey !== '');

  /** False if it was refused, or the user said no. */
  const save = async (): Promise<boolean> => {
    setTested(undefined);
    // Before the address is saved: both or none.
    const problem = newKey === '' ? undefined : keyProblem(newKey.trim());
    setRefusal(problem);
    if (problem !== undefined) return false;
    if (isNewUrl) {
      const reply = await model.ask('gateway.setBaseUrl', { profile: name, baseUrl: url });
      if (!reply.ok || reply.value === undefined) return false;
      model.app.setState({ settings: reply.value });
      savedUrl(typed);
    }
    const reply =
      newKey === '' ? await model.ask('key.status') : await model.askFrom(['key'], 'key.set', { key: newKey, origin });
    if (!reply.ok) {
      if (reply.error.field === 'key') setRefusal(reply.error.message);
      return false;
    }
    model.app.setState({ key: reply.value });
    savedKey(typedKey);
    return true;
  };
  const test = async (): Promise<void> => {
    if (canSave && !(await save())) return;
    setTested(undefined);
    const reply = await model.ask('account.test', { profile: name });
    if (reply.ok) setTested({ url, report: reply.value });
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
        value={baseUrl ?? saved.baseUrl}
        onChange={(event) => type({ baseUrl: event.target.value })}
        problem={urlProblem === undefined ? undefined : words.settings.gateway.wrongUrl(urlProblem)}
        hint={words.settings.gateway.urlHint}
      />
      <TextField
        label={words.settings.gateway.key}
        type="password"
        placeholder={kept === undefined ? words.settings.gateway.yourKey : words.settings.gateway.keyStored(kept.last4)}
        value={newKey}
        onChange={(event) => {
          typeKey({ newKey: event.target.value });
          setRefusal(undefined);
        }}
        refusal={refusal}
        hint={isNewUrl ? hintForNewUrl(kept !== undefined, key.kept.length > 0) : undefined}
      />
      {isUnencrypted(url) && urlProblem === undefined && (
        <Callout level="error" title={words.settings.gateway.isPlain}>
          {words.settings.gateway.isPlainHint}
        </Callout>
      )}
      <KeyStorage storage={key.storage} kept={kept} />
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
        {keptOfSaved !== undefined && (
          <Button look="quiet" disabled={isBusy || isForgetting} onClick={() => forget({ origin: keptOfSaved.origin })}>
            {words.settings.gateway.forget}
          </Button>
        )}
      </div>
      {/* Of another path or key, the test says nothing. */}
      {tested?.url === url && newKey === '' && <ConnectionFindings report={tested.report} />}
      {forgetDialog}
    </form>
  );
}

function hintForNewUrl(hasKey: boolean, hasOtherKeys: boolean): string | undefined {
  if (hasKey) return words.settings.gateway.keyOfNewUrl;
  if (!hasOtherKeys) return undefined;
  return words.settings.gateway.noKeyOfNewUrl;
}

interface KeyStorageProps {
  readonly storage: KeyStatus['storage'];
  /** The key of the address as it is typed, if there is one. */
  readonly kept: KeyStatus['kept'][number] | undefined;
}

/** Where the key is really kept. */
function KeyStorage({ storage, kept }: KeyStorageProps) {
  const isSafe = storage === 'keyring';
  const Icon = isSafe ? KeyRound : ShieldAlert;
  return (
    <p className={joinClasses('row soft', styles.place)} data-storage={storage} data-testid="key-place">
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span>
        {words.common.sentences([
          isSafe ? words.settings.gateway.inKeyring : words.settings.gateway.inMemory,
          kept === undefined ? '' : words.settings.gateway.stored(kept.last4, kept.origin),
        ])}
      </span>
    </p>
  );
}

/** What a test of the connection has shown: what it means, what to do, and what was received. */
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
  'path-unclear': 'warning',
  unclear: 'warning',
  'wrong-path': 'error',
  'key-rejected': 'error',
  'not-a-gateway': 'error',
  unreachable: 'error',
} as const;
