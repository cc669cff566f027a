import { HardDrive, RotateCw, Settings } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { TextField } from '../design/Field.tsx';
import { Page } from '../design/Page.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { withoutPlace } from './StorePanel.tsx';
import styles from './NoStoreScreen.module.css';

/** In place of every screen that needs a store: why the one on a server does not open, and the ways out. */
export function NoStoreScreen({ message }: { readonly message: string }) {
  const model = useAppModel();
  const store = useApp((state) => state.store);
  const [password, setPassword] = useState('');
  const [isBusy, run] = useBusy();
  if (store?.kind !== 'server') return null;
  const retry = (event?: FormEvent): void => {
    event?.preventDefault();
    run(async () => {
      if (password === '') await model.ask('engine.retry');
      else await model.ask('store.use', { kind: 'server', address: store.address, password });
      setPassword('');
    });
  };
  return (
    <Page title={words.home.store.doesNotOpen} testId="no-store">
      <form className={joinClasses('stack scroll', styles.column)} onSubmit={retry}>
        <Callout level="error" title={shownLine(store.shown)}>
          {shownLine(withoutPlace(message, store.shown))}
        </Callout>
        <p className="soft">{words.home.store.doesNotOpenAbout}</p>
        <TextField
          label={words.home.store.password}
          type="password"
          value={password}
          placeholder={store.hasPassword ? words.home.store.passwordStored : words.home.store.passwordEmpty}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div className="row wrap">
          <Button type="submit" look="primary" icon={RotateCw} disabled={isBusy}>
            {words.home.store.tryAgain}
          </Button>
          <Button icon={Settings} disabled={isBusy} onClick={() => model.go({ kind: 'settings', part: 'store' })}>
            {words.home.store.change}
          </Button>
          <Button
            icon={HardDrive}
            disabled={isBusy}
            onClick={() => run(async () => void (await model.ask('store.use', { kind: 'folder' })))}
          >
            {words.home.store.workHere}
          </Button>
        </div>
      </form>
    </Page>
  );
}
