import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import type { SettingsView } from '../../shared/ipc/app.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import styles from './theme.module.css';

type ShownTheme = 'light' | 'dark';

const PREFERS_LIGHT = '(prefers-color-scheme: light)';

/** The theme that the user's choice gives; follows the system if they left it to the system. */
export function useShownTheme(chosen: SettingsView['theme'] | undefined): ShownTheme {
  const isLight = useSyncExternalStore(subscribe, prefersLight);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return isLight ? 'light' : 'dark';
}

/** The theme of the page's colours now. It changes a moment after the choice: go by this one to read colours. */
export function useAppliedTheme(): string | undefined {
  return useSyncExternalStore(observeTheme, appliedTheme);
}

function observeTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

function appliedTheme(): string | undefined {
  return document.documentElement.dataset['theme'];
}

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(PREFERS_LIGHT);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

function prefersLight(): boolean {
  return window.matchMedia(PREFERS_LIGHT).matches;
}

const CHOICES: readonly { readonly theme: SettingsView['theme']; readonly label: string; readonly icon: LucideIcon }[] =
  [
    { theme: 'system', label: 'System', icon: Monitor },
    { theme: 'light', label: 'Light', icon: Sun },
    { theme: 'dark', label: 'Dark', icon: Moon },
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
      aria-label="Appearance"
      data-wide={isWide}
    >
      {CHOICES.map(({ theme: value, label, icon: Icon }) => (
        <ToggleGroup.Item key={value} className={styles.item} value={value} aria-label={label} title={label}>
          <Icon size={14} strokeWidth={1.75} aria-hidden />
          {isWide && label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
