import { ArrowLeft, FileSpreadsheet } from 'lucide-react';
import { useStore } from 'zustand';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { shownLine } from '../format/shown-text.ts';
import { GatewayForm } from '../settings/GatewayForm.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { type Screen, gatewayObstacle } from '../state/app-state.ts';
import { WelcomePanel } from './Tile.tsx';

interface ConnectPanelProps {
  readonly from: Screen | undefined;
  /** Nothing else titles the screen. */
  readonly isFirst: boolean;
}

/** Asks for the gateway's base URL and key, and says where the key is stored. */
export function ConnectPanel({ from, isFirst }: ConnectPanelProps) {
  const model = useAppModel();
  const [, run] = useBusy();
  const isConnected = useApp((state) => gatewayObstacle(state) === undefined);
  const sheetName = useStore(model.bringIn.store, (state) => state.open?.sheet.name);
  const chooseSheet = (
    <Button look="primary" icon={FileSpreadsheet} onClick={() => run(() => model.bringIn.choose(false))}>
      Choose a sheet…
    </Button>
  );
  return (
    <WelcomePanel title="Connect your gateway" from={from} isFirst={isFirst}>
      <GatewayForm />
      {isConnected && (
        <Callout
          level="info"
          title="Saved"
          actions={
            from === undefined ? (
              chooseSheet
            ) : (
              <Button look="primary" icon={ArrowLeft} onClick={() => model.go(from)}>
                {from.kind === 'sheet' && sheetName !== undefined
                  ? `Back to ${shownLine(sheetName)}`
                  : 'Back to the batch'}
              </Button>
            )
          }
        >
          Nothing is sent until you start a batch.
        </Callout>
      )}
    </WelcomePanel>
  );
}
