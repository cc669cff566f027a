import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { FAMILIES, FAMILY_NAMES, type Family } from '../../shared/domain/operations/operations.ts';
import { Button } from '../design/Button.tsx';
import { PRESET_TITLES, type PresetName } from '../state/profile-draft.ts';
import styles from './PresetMenu.module.css';

const PRESETS = Object.keys(PRESET_TITLES) as readonly PresetName[];

/** Lays a status table that was seen elsewhere under a family. */
export function PresetMenu({ onChoose }: { readonly onChoose: (family: Family, preset: PresetName) => void }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button size="small">
          Status table from a preset
          <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} sideOffset={4} align="start" collisionPadding={8}>
          {FAMILIES.map((family) => (
            <DropdownMenu.Group key={family}>
              <DropdownMenu.Label className={styles.label}>{FAMILY_NAMES[family]}</DropdownMenu.Label>
              {PRESETS.map((preset) => (
                <DropdownMenu.Item key={preset} className={styles.item} onSelect={() => onChoose(family, preset)}>
                  {PRESET_TITLES[preset]}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
