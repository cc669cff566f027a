import { Callout } from '../design/Callout.tsx';
import { Button } from '../design/Button.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';

/** Says when the engine is not running normally, what that means for the night, and what to do. */
export function EngineBanner() {
  const model = useAppModel();
  const engine = useApp((state) => state.engine);
  if (engine === undefined) return null;
  const waysOut = (
    <>
      <Button size="small" look="quiet" onClick={() => void model.ask('log.openFolder')}>
        Open logs
      </Button>
      <Button size="small" onClick={() => void model.ask('engine.retry')}>
        Try again
      </Button>
    </>
  );
  return (
    <div className="stack banners" data-testid="engine-banner">
      {engine.state === 'starting' && (
        <Callout level="info" title="The engine is starting">
          {engine.message}
        </Callout>
      )}
      {engine.state === 'restarted' && (
        <Callout
          level="warning"
          title="The engine was restarted"
          actions={
            <Button size="small" look="quiet" onClick={() => model.app.setState({ engine: undefined })}>
              Dismiss
            </Button>
          }
        >
          {engine.message}
        </Callout>
      )}
      {engine.state === 'read-only' && (
        <Callout level="warning" title="Batches can be viewed; nothing is sent" actions={waysOut}>
          {engine.message}
        </Callout>
      )}
      {engine.state === 'failed' && (
        <Callout level="error" title="The engine has stopped; nothing is sent" actions={waysOut}>
          {engine.message}
        </Callout>
      )}
    </div>
  );
}
