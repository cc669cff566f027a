import { ChevronDown, Copy, Download, FileUp, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SettingsView } from '../../shared/ipc/app.ts';
import type { Reply } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { TextField } from '../design/Field.tsx';
import { Menu, MenuItem } from '../design/Menu.tsx';
import { Select } from '../design/Select.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';

interface ProfileSwitchProps {
  readonly settings: SettingsView;
  readonly isDisabled: boolean;
  readonly onImport: () => void;
}

/** Which profile new batches start with, and what can be done with it as a whole. */
export function ProfileSwitch({ settings, isDisabled, onImport }: ProfileSwitchProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const [isRenaming, setRenaming] = useState(false);
  const { profileName, profiles } = settings;
  const isStill = isDisabled || isBusy;
  const take = (asking: Promise<Reply<SettingsView | undefined>>): void =>
    run(async () => {
      const reply = await asking;
      if (reply.ok && reply.value !== undefined) model.app.setState({ settings: reply.value });
    });
  const exportIt = async (): Promise<void> => {
    const reply = await model.ask('profile.export');
    if (!reply.ok || reply.value === undefined) return;
    model.notices.show({ level: 'info', title: words.settings.profile.isExported, message: reply.value.file });
  };
  return (
    <div className="row wrap">
      <Select
        label={words.settings.profile.forNew}
        value={profileName}
        options={profiles.map((name) => ({ value: name, words: shownLine(name) }))}
        isDisabled={isStill}
        onChoose={(name) => take(model.ask('profile.use', { name }))}
      />
      <Menu
        button={
          <Button size="small" disabled={isStill}>
            {words.settings.profile.thisProfile}
            <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={() => setRenaming(true)}>
          {words.settings.profile.renameIt}
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => take(model.ask('profile.duplicate'))}>
          {words.common.duplicate}
        </MenuItem>
        <MenuItem icon={Download} onSelect={() => run(exportIt)}>
          {words.settings.profile.export}
        </MenuItem>
        <MenuItem icon={Trash2} isDisabled={profiles.length < 2} onSelect={() => take(model.ask('profile.remove'))}>
          {words.settings.profile.delete}
        </MenuItem>
      </Menu>
      <Button size="small" look="quiet" icon={FileUp} disabled={isStill} onClick={onImport}>
        {words.settings.profile.import}
      </Button>
      {isRenaming && <RenameProfile settings={settings} onClose={() => setRenaming(false)} />}
    </div>
  );
}

function RenameProfile({ settings, onClose }: { readonly settings: SettingsView; readonly onClose: () => void }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const [name, setName] = useState(settings.profileName);
  const isTaken = name.trim() !== settings.profileName && settings.profiles.includes(name.trim());
  const save = async (): Promise<void> => {
    const reply = await model.ask('profile.rename', { name: name.trim() });
    if (!reply.ok) return;
    model.profileDrafts.rename(settings.profileName, name.trim());
    model.app.setState({ settings: reply.value });
    onClose();
  };
  return (
    <Dialog
      title={words.settings.profile.rename}
      decline={words.common.cancel}
      actions={[
        {
          words: words.common.rename,
          look: 'primary',
          isDisabled: name.trim() === '' || isTaken,
          onClick: () => run(save),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <TextField
        label={words.common.name}
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
        problem={isTaken ? words.settings.profile.isTaken : undefined}
      />
    </Dialog>
  );
}
