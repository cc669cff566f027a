import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { SettingsView } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { joinClasses } from '../design/join-classes.ts';
import styles from './theme.module.css';

const PREFERS_LIGHT = window.matchMedia('(prefers-color-scheme: light)');

/** Applies the user's choice of theme. The tokens hold the colours of both. */
export function useChosenTheme(): void {
  const theme = useApp((state) => state.settings?.theme ?? 'system');
  useLayoutEffect(() => {
    document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
  }, [theme]);
}

/** Changes with the page's colours, a moment after the user's choice or the system's: a canvas reads them again. */
export function useAppliedTheme(): string {
  return useSyncExternalStore(observeTheme, appliedTheme);
}

function observeTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
  PREFERS_LIGHT.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    PREFERS_LIGHT.removeEventListener('change', onChange);
  };
}

function appliedTheme(): string {
  return `${document.documentElement.style.colorScheme} ${String(PREFERS_LIGHT.matches)}`;
}

const CHOICES: readonly { readonly theme: SettingsView['theme']; readonly label: string; readonly icon: LucideIcon }[] =
  [
    { theme: 'system', label: words.shell.themes.system, icon: Monitor },
    { theme: 'light', label: words.shell.themes.light, icon: Sun },
    { theme: 'dark', label: words.shell.themes.dark, icon: Moon },
  ];

/** Light, dark, or the system's theme. */
export function ThemeSwitch({ isWide = false }: { readonly isWide?: boolean }) {
  const model = useAppModel();
  const theme = useApp((state) => state.settings?.theme ?? 'system');
  const choose = async (value: string): Promise<void> => {
    const choice = CHOICES.find((option) => option.theme === value);
    if (choice === undefined) return;
    const reply = await model.ask('settings.update', { theme: choice.theme });
    if (reply.ok) model.app.setState({ settings: reply.value });
  };
  return (
    <ToggleGroup.Root
      className={styles.group}
      type="single"
      value={theme}
      onValueChange={(value) => void choose(value)}
      aria-label={words.shell.appearance}
      data-wide={isWide}
    >
      {CHOICES.map(({ theme: value, label, icon: Icon }) => (
        <ToggleGroup.Item
          key={value}
          className={joinClasses('row', styles.item)}
          value={value}
          aria-label={label}
          title={label}
        >
          <Icon size={14} strokeWidth={1.75} aria-hidden />
          {isWide && label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
