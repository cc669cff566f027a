import { useState, type FormEvent, type ReactNode } from 'react';
import { tellingAddressProblem, type WayName } from '../../shared/domain/telling/ways.ts';
import type { Reply, RouteInput } from '../../shared/ipc/contract.ts';
import type { PresenceView } from '../../shared/ipc/presence.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { TextArea, TextField } from '../design/Field.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { formatNearby } from '../format/times.ts';
import { useApp, useAppModel, useNow, useTyped } from '../state/app-context.ts';
import styles from './TellingSettings.module.css';

type Telling = PresenceView['telling'];

/** How Nocturne tells the user that a night has ended or needs somebody; each way can be tried. */
export function TellingSettings() {
  const telling = useApp((state) => state.presence?.telling);
  const take = useTakePresence();
  const model = useAppModel();
  const set = async (change: RouteInput<'telling.set'>): Promise<void> => {
    take(await model.ask('telling.set', change));
  };
  if (telling === undefined) return null;
  return (
    <>
      <label className="row">
        <input
          type="checkbox"
          checked={telling.names}
          onChange={(event) => void set({ names: event.target.checked })}
        />
        {words.settings.telling.withNames}
      </label>
      <Way title={words.settings.telling.onScreen} way="system" isSet={telling.system} last={undefined}>
        <label className="row">
          <input
            type="checkbox"
            checked={telling.system}
            onChange={(event) => void set({ system: event.target.checked })}
          />
          {words.settings.telling.bySystem}
        </label>
      </Way>
      <AddressWay
        way="ntfy"
        title="ntfy"
        view={telling.ntfy}
        storage={telling.storage}
        placeholder="https://ntfy.sh/a-topic-nobody-guesses"
        secretLabel={words.settings.telling.token}
        secretHint={words.settings.telling.tokenHint}
      />
      <AddressWay
        way="webhook"
        title={words.settings.telling.webhook}
        view={telling.webhook}
        storage={telling.storage}
        placeholder="https://example.com/hook"
        secretLabel={words.settings.telling.secret}
        secretHint={words.settings.telling.secretHint}
      />
      <CommandWay view={telling.command} />
    </>
  );
}

function useTakePresence(): (reply: Reply<PresenceView | undefined>) => boolean {
  const model = useAppModel();
  return (reply) => {
    if (!reply.ok || reply.value === undefined) return false;
    model.app.setState({ presence: reply.value });
    return true;
  };
}

interface WayProps {
  readonly title: string;
  readonly way: WayName | 'system';
  /** The way is set up, so that it can be tried. */
  readonly isSet: boolean;
  readonly last: Telling['command']['last'];
  readonly children: ReactNode;
}

/** One way: its fields, a button to try it, and what became of the last message. */
function Way({ title, way, isSet, last, children }: WayProps) {
  const model = useAppModel();
  const now = useNow(60_000);
  const [isBusy, run] = useBusy();
  const [result, setResult] = useState<{ readonly isOk: boolean; readonly text: string }>();
  const test = async (): Promise<void> => {
    setResult(undefined);
    const reply = await model.ask('telling.test', { way });
    if (reply.ok) setResult(reply.value);
  };
  const shown =
    result === undefined ? last && { ...last, when: formatNearby(last.at, now) } : { ...result, when: undefined };
  return (
    <div className={joinClasses('stack', styles.way)} data-testid={`way-${way}`}>
      <h3>{title}</h3>
      {children}
      {isSet && (
        <div className="row">
          <Button size="small" disabled={isBusy} onClick={() => run(test)}>
            {words.settings.telling.test}
          </Button>
          <output className={shown?.isOk === false ? 'wrong' : 'faint'}>
            {isBusy
              ? words.settings.telling.isSending
              : shown && words.settings.telling.result(shown.isOk, shown.text, shown.when)}
          </output>
        </div>
      )}
    </div>
  );
}

interface AddressWayProps {
  readonly way: 'ntfy' | 'webhook';
  readonly title: string;
  readonly view: Telling['ntfy'];
  readonly storage: Telling['storage'];
  readonly placeholder: string;
  readonly secretLabel: string;
  readonly secretHint: string;
}

/** A way that posts to an address. Its secret goes one way only: it can be replaced, never read. */
function AddressWay({ way, title, view, storage, placeholder, secretLabel, secretHint }: AddressWayProps) {
  const model = useAppModel();
  const take = useTakePresence();
  // What was typed for one address does not go to another that is set elsewhere meanwhile.
  const form = `${way} ${view.url}`;
  const [typed, type, saved] = useTyped(form);
  const [typedSecret, typeSecret, savedSecret] = useTyped(form, 'secrets');
  const { url = view.url, plainHttp } = typed;
  const { secret = '', made } = typedSecret;
  const allowPlainHttp = plainHttp === undefined ? view.allowPlainHttp : plainHttp === 'allowed';
  /** The secret is shown as long as it is the one that was made here: the receiver needs it, too. */
  const isMade = secret !== '' && secret === made;
  const make = (): void => {
    const secret = `whsec_${btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))))}`;
    typeSecret({ secret, made: secret });
  };
  const [isBusy, run] = useBusy();
  const wanted = url.trim();
  const problem = wanted === '' ? undefined : tellingAddressProblem(wanted, allowPlainHttp);
  const isForOwnNetwork =
    tellingAddressProblem(wanted, false) !== undefined && tellingAddressProblem(wanted, true) === undefined;
  const isChanged = wanted !== view.url || allowPlainHttp !== view.allowPlainHttp || secret !== '';
  const canSave = isChanged && problem === undefined;
  const save = async (): Promise<void> => {
    const change = { way, url: wanted, allowPlainHttp, ...(secret === '' ? {} : { secret }) };
    if (!take(await model.ask('telling.setAddress', change))) return;
    saved(typed);
    savedSecret(typedSecret);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) run(save);
  };
  const kept = storage === 'keyring' ? words.settings.telling.inKeyring : words.settings.telling.inMemory;
  return (
    <Way title={title} way={way} isSet={view.url !== '' && !isChanged} last={view.last}>
      <form className="stack" onSubmit={submit} aria-label={title}>
        <TextField
          label={words.settings.telling.address(title)}
          inputMode="url"
          placeholder={placeholder}
          value={url}
          onChange={(event) => type({ url: event.target.value })}
          problem={problem === undefined ? undefined : words.settings.telling.wrongAddress(problem)}
        />
        {isForOwnNetwork && (
          <label className="row">
            <input
              type="checkbox"
              checked={allowPlainHttp}
              onChange={(event) => type({ plainHttp: event.target.checked ? 'allowed' : 'refused' })}
            />
            {words.settings.telling.allowPlain}
          </label>
        )}
        <TextField
          label={secretLabel}
          type={isMade ? 'text' : 'password'}
          placeholder={view.hasSecret ? words.settings.keys.replace : ''}
          value={secret}
          onChange={(event) => typeSecret({ secret: event.target.value })}
          hint={isMade ? words.settings.telling.madeHint : view.hasSecret ? kept : secretHint}
        />
        {(isChanged || way === 'webhook') && (
          <div className="row">
            <Button type="submit" look={canSave ? 'primary' : 'secondary'} disabled={!canSave || isBusy}>
              {wanted === '' && view.url !== '' ? words.common.remove : words.common.save}
            </Button>
            {way === 'webhook' && (
              <Button look="quiet" onClick={make}>
                {words.settings.telling.newSecret}
              </Button>
            )}
          </div>
        )}
      </form>
    </Way>
  );
}

/** A program of the user's own. */
function CommandWay({ view }: { readonly view: Telling['command'] }) {
  const model = useAppModel();
  const take = useTakePresence();
  const before = view.argv.join('\n');
  const [typed, type, saved] = useTyped(`command ${before}`);
  const { text = before } = typed;
  const [isBusy, run] = useBusy();
  const isChanged = text.trimEnd() !== before;
  const save = async (): Promise<void> => {
    const argv = text.trimEnd() === '' ? [] : text.trimEnd().split('\n');
    if (take(await model.ask('telling.setCommand', { argv }))) saved(typed);
  };
  return (
    <Way title={words.settings.telling.command} way="command" isSet={before !== '' && !isChanged} last={view.last}>
      <TextArea
        label={words.settings.telling.argv}
        rows={3}
        value={text}
        placeholder={'/usr/local/bin/tell-me\n--loud'}
        onChange={(event) => type({ text: event.target.value })}
        hint={words.settings.telling.argvHint}
      />
      {isChanged && (
        <div className="row">
          <Button look="primary" disabled={isBusy} onClick={() => run(save)}>
            {text.trimEnd() === '' ? words.common.remove : words.settings.telling.saveCommand}
          </Button>
        </div>
      )}
    </Way>
  );
}
