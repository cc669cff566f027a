/**
 * All screens, in a part of the program that is loaded after the frame around them: the window is drawn and takes
 * clicks while they are still being compiled. They come together, so that no change of screen waits for one.
 */
import { BatchScreen } from './batch/BatchScreen.tsx';
import { GalleryScreen } from './gallery/GalleryScreen.tsx';
import { HelpScreen } from './help/HelpScreen.tsx';
import { LedgerScreen } from './ledger/LedgerScreen.tsx';
import { SheetScreen } from './open-sheet/SheetScreen.tsx';
import { GatewayScreen } from './settings/gateways/GatewayScreen.tsx';
import { SettingsScreen } from './settings/SettingsScreen.tsx';
import { useFocusOnScreen, usePasteTable } from './shell/keyboard.ts';
import { BeforeFirstScreen } from './notices/UnderWay.tsx';
import type { Screen } from './state/app-state.ts';
import { WelcomeScreen } from './welcome/WelcomeScreen.tsx';

// What lies above the screens comes with them: notices are kept until they can be shown.
export { DropOverlay } from './shell/DropOverlay.tsx';
export { AfterNightWarning } from './shell/AfterNight.tsx';
export { NoStoreScreen } from './store/NoStoreScreen.tsx';
export { StoreBanner, StorePanel } from './store/StorePanel.tsx';
export { Overlays } from './shell/CommandPalette.tsx';
export { ShelfDialogs } from './shell/ShelfDialogs.tsx';
export { NoticeCentre } from './notices/NoticeCentre.tsx';
export { ShownNotices } from './notices/ShownNotices.tsx';
export { TourHints } from './welcome/Tour.tsx';

interface CurrentScreenProps {
  /**
   * Undefined until the first one is known: the batch that most needs the user, or the welcome. Until then only what the
   * user waits for is drawn.
   */
  readonly screen: Screen | undefined;
}

/** What the window shows beside its side bar; the focus and pasted text go there. */
export function CurrentScreen({ screen }: CurrentScreenProps) {
  usePasteTable(screen);
  useFocusOnScreen(screen);
  switch (screen?.kind) {
    case undefined:
      return <BeforeFirstScreen />;
    case 'welcome':
      return <WelcomeScreen page={screen.page} from={screen.from} />;
    case 'sheet':
      return <SheetScreen />;
    case 'batch':
      return <BatchScreen key={screen.batchId} batchId={screen.batchId} />;
    case 'gallery':
      return <GalleryScreen key={screen.batchId} batchId={screen.batchId} />;
    case 'ledger':
      return <LedgerScreen key={`${screen.batchId} ${screen.night}`} batchId={screen.batchId} night={screen.night} />;
    case 'settings':
      return <SettingsScreen part={screen.part} keyFor={screen.part === 'keys' ? screen.keyFor : undefined} />;
    case 'gateway':
      return <GatewayScreen {...screen} />;
    case 'help':
      return <HelpScreen part={screen.part} />;
  }
}
