import { Callout } from '../design/Callout.tsx';
import { Button } from '../design/Button.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import styles from './EngineBanner.module.css';

/** Says when the engine is not simply at work, and when Nocturne was opened so that nothing can be sent. */
export function EngineBanner() {
  const model = useAppModel();
  const engine = useApp((state) => state.engine);
  const safeMode = useApp((state) => state.info?.safeMode);
  if (engine === undefined && safeMode === undefined) return null;
  return (
    <div className={styles.banner} data-testid="engine-banner">
      {safeMode !== undefined && (
        <Callout level="warning" title="Nothing is sent in this session">
          {safeMode}
        </Callout>
      )}
      {engine?.state === 'starting' && (
        <Callout level="info" title="The engine is starting">
          {engine.message}
        </Callout>
      )}
      {engine?.state === 'restarted' && (
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
      {engine?.state === 'failed' && (
        <Callout level="error" title="The engine has stopped">
          {engine.message}
        </Callout>
      )}
    </div>
  );
}
