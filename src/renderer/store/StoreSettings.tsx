import { Cloud, HardDrive } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { countOf } from '../../shared/domain/base/text.ts';
import type { StoreFound, StorePlaceView } from '../../shared/ipc/store.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { Choices, TextField } from '../design/Field.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { withoutPlace, workersText } from './StorePanel.tsx';

/** Where the store is, and the way to another one. */
export function StoreSettings() {
  const store = useApp((state) => state.store);
  // Another store begins with the fields that are its own.
  return store === undefined ? null : <StoreForm key={store.kind === 'server' ? store.address : ''} store={store} />;
}

function StoreForm({ store }: { readonly store: StorePlaceView }) {
  const model = useAppModel();
  const isServer = store.kind === 'server';
  const keptIn = useApp((state) => state.key?.storage);
  const [kind, setKind] = useState(store.kind);
  const [address, setAddress] = useState(isServer ? store.address : '');
  const [password, setPassword] = useState('');
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
    if (reply.ok && reply.value !== undefined) setPassword('');
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged && (kind === 'folder' || typed.address !== '')) run(use);
  };
  return (
    <form className="stack" onSubmit={submit} aria-label="Store">
      <Choices
        label="Store"
        value={kind}
        onChoose={setKind}
        options={[
          {
            value: 'folder',
            title: 'On this computer',
            text: 'This window renders.',
            icon: <HardDrive size={16} strokeWidth={1.75} aria-hidden />,
          },
          {
            value: 'server',
            title: 'On a server',
            text: 'PostgreSQL. Workers render this store; the window shows and decides.',
            icon: <Cloud size={16} strokeWidth={1.75} aria-hidden />,
          },
        ]}
      />
      {kind === 'server' && (
        <>
          <TextField
            label="Address"
            placeholder="postgres://user@db.example/nights"
            inputMode="url"
            value={address}
            onChange={(event) => {
              setAddress(event.target.value);
              setFound(undefined);
            }}
            hint="As on the command line. To another computer the connection is encrypted, and its certificate is checked."
          />
          <TextField
            label="Password"
            type="password"
            placeholder={isKept ? 'Stored. Enter another to replace it.' : 'Empty: as in ~/.pgpass'}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            hint={
              keptIn === 'memory'
                ? 'This machine has no keyring that Nocturne can use. The password is gone when Nocturne is closed.'
                : 'Kept encrypted with your system’s keyring, for this address alone.'
            }
          />
        </>
      )}
      <div className="row">
        <Button type="submit" look={isChanged ? 'primary' : 'secondary'} disabled={!isChanged || isBusy}>
          Use this store
        </Button>
        {kind === 'server' && (
          <Button disabled={isBusy || typed.address === ''} onClick={() => run(test)}>
            Test
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
    ...(server === undefined ? [] : [`PostgreSQL ${shownLine(server)}`]),
    ...(schema === undefined ? [] : [`store of version ${schema}`]),
  ].join(', ');
  const content = isNew ? 'There is no store yet: one is made.' : `${countOf(batches, 'batch', 'batches')} in it.`;
  return (
    <Callout level={problem === undefined ? 'info' : 'error'} title={titleOf(found)}>
      <p>
        <code>{shownLine(shown)}</code>
      </p>
      {problem !== undefined && <p>{shownLine(withoutPlace(problem, shown))}</p>}
      {versions !== '' && (
        <p>
          {versions}. {content} {workersText(workers)}
        </p>
      )}
    </Callout>
  );
}

function titleOf({ problem, isNew }: StoreFound): string {
  if (problem !== undefined) return 'This store cannot be used';
  return isNew ? 'The server is ready for a store' : 'A store is there';
}
