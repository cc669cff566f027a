import { Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import type { SettingsView } from '../../shared/ipc/contract.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import styles from './ThemeSwitch.module.css';

const CHOICES: readonly { readonly theme: SettingsView['theme']; readonly label: string; readonly icon: LucideIcon }[] =
  [
    { theme: 'system', label: 'System', icon: Monitor },
    { theme: 'light', label: 'Light', icon: Sun },
    { theme: 'dark', label: 'Dark', icon: Moon },
  ];

/** Light, dark, or as the system has it. */
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
