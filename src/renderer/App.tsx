import { useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import { BatchScreen } from './batch/BatchScreen.tsx';
import { useShownTheme } from './design/use-theme.ts';
import { HelpScreen } from './help/HelpScreen.tsx';
import { SettingsScreen } from './settings/SettingsScreen.tsx';
import { SheetScreen } from './open-sheet/SheetScreen.tsx';
import { Shell } from './shell/Shell.tsx';
import { useApp, useAppModel } from './state/app-context.ts';
import type { Screen } from './state/navigation-store.ts';
import { WelcomeScreen } from './welcome/WelcomeScreen.tsx';

/** The whole window. */
export function App() {
  const screen = useStore(useAppModel().navigation, (state) => state.screen);
  const theme = useShownTheme(useApp((state) => state.settings?.theme));
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return <Shell screen={screen}>{screen !== undefined && <ScreenContent screen={screen} />}</Shell>;
}

function ScreenContent({ screen }: { readonly screen: Screen }) {
  switch (screen.kind) {
    case 'welcome':
      return <WelcomeScreen page={screen.page} from={screen.from} />;
    case 'sheet':
      return <SheetScreen />;
    case 'batch':
      return <BatchScreen key={screen.batchId} batchId={screen.batchId} />;
    case 'settings':
      return <SettingsScreen part={screen.part} keyFor={screen.part === 'keys' ? screen.keyFor : undefined} />;
    case 'help':
      return <HelpScreen part={screen.part} />;
  }
}
