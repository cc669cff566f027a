import { Cloud, HardDrive } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { StoreFound, StorePlaceView } from '../../shared/ipc/store.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { Choices, TextField } from '../design/Field.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel, useTyped } from '../state/app-context.ts';
import { withoutPlace, workersText } from './StorePanel.tsx';

/** Where the store is, and the way to another one. */
export function StoreSettings() {
  const store = useApp((state) => state.store);
  // Another store begins with its own fields.
  return store === undefined ? null : <StoreForm key={store.kind === 'server' ? store.address : ''} store={store} />;
}

function StoreForm({ store }: { readonly store: StorePlaceView }) {
  const model = useAppModel();
  const isServer = store.kind === 'server';
  const keptIn = useApp((state) => state.key?.storage);
  const kept = isServer ? store.address : '';
  // Some addresses hold a password.
  const [written, type, saved] = useTyped(`store ${kept}`, 'secrets');
  const { address = kept, password = '' } = written;
  const kind = written['kind'] === 'server' || written['kind'] === 'folder' ? written['kind'] : store.kind;
  const [found, setFound] = useState<StoreFound>();
  const [isBusy, run] = useBusy();
  const typed = { address: address.trim(), ...(password === '' ? {} : { password }) };
  const isKept = isServer && store.hasPassword && typed.address === store.address;
  const isChanged = kind !== store.kind || (isServer && (typed.address !== store.address || password !== ''));
  const test = async (): Promise<void> => {
    setFound(undefined);
    const reply = await model.ask('store.test', typed);
    if (reply.ok) setFound(reply.value);
  };
  const use = async (): Promise<void> => {
    const reply = await model.ask('store.use', kind === 'folder' ? { kind } : { kind, ...typed });
    if (reply.ok && reply.value !== undefined) saved(written);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged && (kind === 'folder' || typed.address !== '')) run(use);
  };
  return (
    <form className="stack" onSubmit={submit} aria-label={words.home.store.title}>
      <Choices
        label={words.home.store.title}
        value={kind}
        onChoose={(kind) => type({ kind })}
        options={[
          {
            value: 'folder',
            title: words.home.store.onThisComputer,
            text: words.home.store.onThisComputerAbout,
            icon: <HardDrive size={16} strokeWidth={1.75} aria-hidden />,
          },
          {
            value: 'server',
            title: words.home.store.onServer,
            text: words.home.store.onServerAbout,
            icon: <Cloud size={16} strokeWidth={1.75} aria-hidden />,
          },
        ]}
      />
      {kind === 'server' && (
        <>
          <TextField
            label={words.home.store.address}
            placeholder="postgres://user@db.example/nights"
            inputMode="url"
            value={address}
            onChange={(event) => {
              type({ address: event.target.value });
              setFound(undefined);
            }}
            hint={words.home.store.addressHint}
          />
          <TextField
            label={words.home.store.password}
            type="password"
            placeholder={isKept ? words.home.store.passwordStored : words.home.store.passwordEmpty}
            value={password}
            onChange={(event) => type({ password: event.target.value })}
            hint={keptIn === 'memory' ? words.home.store.passwordInMemory : words.home.store.passwordKept}
          />
        </>
      )}
      <div className="row">
        <Button type="submit" look={isChanged ? 'primary' : 'secondary'} disabled={!isChanged || isBusy}>
          {words.home.store.use}
        </Button>
        {kind === 'server' && (
          <Button disabled={isBusy || typed.address === ''} onClick={() => run(test)}>
            {words.home.store.test}
          </Button>
        )}
      </div>
      {found !== undefined && <Findings found={found} />}
    </form>
  );
}

function Findings({ found }: { readonly found: StoreFound }) {
  const { shown, problem, isNew, batches, workers, server, schema } = found;
  const versions = [
    ...(server === undefined ? [] : [words.home.store.server(shownLine(server))]),
    ...(schema === undefined ? [] : [words.home.store.schema(schema)]),
  ];
  const content = isNew ? words.home.store.willBeMade : words.home.store.holds(batches);
  return (
    <Callout level={problem === undefined ? 'info' : 'error'} title={titleOf(found)}>
      <p>
        <code>{shownLine(shown)}</code>
      </p>
      {problem !== undefined && <p>{shownLine(withoutPlace(problem, shown))}</p>}
      {versions.length > 0 && (
        <p>{words.common.sentences([words.home.store.versions(versions), content, workersText(workers)])}</p>
      )}
    </Callout>
  );
}

function titleOf({ problem, isNew }: StoreFound): string {
  if (problem !== undefined) return words.home.store.unusable;
  return isNew ? words.home.store.isReady : words.home.store.isThere;
}
