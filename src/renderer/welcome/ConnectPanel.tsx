import { ArrowLeft, FileSpreadsheet } from 'lucide-react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { shownLine } from '../format/shown-text.ts';
import { GatewayForm } from '../settings/gateways/GatewayForm.tsx';
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
  const gateway = useApp((state) => state.settings?.profileName);
  const sheetName = useStore(model.bringIn.store, (state) => state.open?.sheet.name);
  const chooseSheet = (
    <Button look="primary" icon={FileSpreadsheet} onClick={() => run(() => model.bringIn.choose(false))}>
      {words.home.connect.chooseSheet}
    </Button>
  );
  return (
    <WelcomePanel title={words.home.ways.connect} from={from} isFirst={isFirst}>
      {gateway !== undefined && <GatewayForm key={gateway} gateway={gateway} />}
      {isConnected && (
        <Callout
          level="info"
          title={words.home.connect.saved}
          actions={
            from === undefined ? (
              chooseSheet
            ) : (
              <Button look="primary" icon={ArrowLeft} onClick={() => model.go(from)}>
                {from.kind === 'sheet' && sheetName !== undefined
                  ? words.home.connect.backTo(shownLine(sheetName))
                  : words.home.connect.backToBatch}
              </Button>
            )
          }
        >
          {words.home.connect.savedAbout}
        </Callout>
      )}
    </WelcomePanel>
  );
}
