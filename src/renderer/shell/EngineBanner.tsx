import { words } from '../../shared/words/words.ts';
import { Callout } from '../design/Callout.tsx';
import { Button } from '../design/Button.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { isShared, type Screen } from '../state/app-state.ts';

const LOOKS = {
  starting: { level: 'info', title: words.shell.engine.starting },
  restarted: { level: 'warning', title: words.shell.engine.restarted },
  'read-only': { level: 'warning', title: words.shell.engine.readOnly },
  failed: { level: 'error', title: words.shell.engine.failed },
} as const;

/** Why the store on a server does not open, if that takes the place of the screen; otherwise undefined. */
export function useNoStore(screen: Screen | undefined): string | undefined {
  const isElsewhere = screen?.kind === 'settings' || screen?.kind === 'gateway' || screen?.kind === 'help';
  return useApp((state) =>
    state.engine?.state === 'failed' && isShared(state) && !isElsewhere ? state.engine.message : undefined,
  );
}

/** Says when the engine is not running normally, what that means for the night, and what to do. */
export function EngineBanner() {
  const model = useAppModel();
  const engine = useApp((state) => state.engine);
  const isOfServer = useApp(isShared);
  if (engine === undefined || (isOfServer && engine.state === 'failed')) return null;
  const waysOut = (
    <>
      <Button size="small" look="quiet" onClick={() => void model.ask('log.openFolder')}>
        {words.shell.engine.openLogs}
      </Button>
      <Button size="small" onClick={() => void model.ask('engine.retry')}>
        {words.shell.engine.tryAgain}
      </Button>
    </>
  );
  const dismiss = (
    <Button size="small" look="quiet" onClick={() => model.app.setState({ engine: undefined })}>
      {words.shell.dismiss}
    </Button>
  );
  const actions = engine.state === 'restarted' ? dismiss : engine.state === 'starting' ? undefined : waysOut;
  return (
    <div className="stack banners" data-testid="engine-banner">
      {engine.state !== 'ready' && (
        <Callout {...LOOKS[engine.state]} actions={actions}>
          {engine.message}
        </Callout>
      )}
    </div>
  );
}
