import { CopyPlus, FileDown, FileInput, FileSpreadsheet, FolderOpen, RefreshCw, Save } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { Menu, MenuCheck, MenuGroup, MenuItem } from '../design/Menu.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';

/** Actions for a batch's file: re-import it, watch it, write the results next to it. */
export function LivingMenu({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const { living } = model;
  const isBusy = useStore(living.store, (state) => state.isBusy);
  const sheet = useStore(model.editing.store, (state) => state.sheet);
  const [isAsking, setAsking] = useState(false);
  const file = sheet?.batchId === batch.id ? sheet.file : undefined;
  const isWatched = sheet?.isWatched === true;
  return (
    <>
      <Menu
        align="end"
        button={
          <Button look="quiet" icon={FileSpreadsheet} disabled={isBusy} title="The file of the sheet, and its results">
            <span className="hidden-when-tight">Sheet</span>
          </Button>
        }
      >
        <MenuGroup title={file === undefined ? 'This sheet was not imported from a file' : shownLine(file)}>
          {file !== undefined && (
            <MenuItem icon={RefreshCw} onSelect={() => living.compare(batch.id, false)}>
              Re-import…
            </MenuItem>
          )}
          <MenuItem icon={FileInput} onSelect={() => living.compare(batch.id, true)}>
            Compare with another file…
          </MenuItem>
          {file !== undefined && (
            <MenuCheck isChecked={isWatched} onChange={(checked) => void living.watch(batch.id, checked)}>
              Watch for changes
            </MenuCheck>
          )}
        </MenuGroup>
        <MenuGroup title="Write results">
          {file !== undefined && (
            <MenuItem icon={FileDown} onSelect={() => living.writeResults(batch.id, 'copy')}>
              To a copy next to the file
            </MenuItem>
          )}
          {file !== undefined && (
            <MenuItem icon={Save} onSelect={() => setAsking(true)}>
              To the file itself…
            </MenuItem>
          )}
          <MenuItem icon={FolderOpen} onSelect={() => living.writeResults(batch.id, 'chosen')}>
            To a file of your choice…
          </MenuItem>
        </MenuGroup>
        <MenuGroup>
          <MenuItem icon={CopyPlus} onSelect={() => model.bringIn.duplicate(batch.id)}>
            Duplicate the batch
          </MenuItem>
        </MenuGroup>
      </Menu>
      {isAsking && file !== undefined && (
        <ConfirmDialog
          title="Write the results to the file itself?"
          confirm="Write to the file"
          decline="Cancel"
          onConfirm={() => void living.writeResults(batch.id, 'original')}
          onClose={() => setAsking(false)}
        >
          {shownLine(file)} gets the columns status, files, taskCode and failure. A backup is saved as “.bak”. Close the
          file in other programs first.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Says that a batch's watched file has changed. Nothing is applied before the user has seen the changes. */
export function FileChangedBanner({ batch }: { readonly batch: BatchView }) {
  const { living } = useAppModel();
  const name = useStore(living.store, (state) => state.changedFiles[batch.id]);
  const isBusy = useStore(living.store, (state) => state.isBusy);
  if (name === undefined) return null;
  return (
    <div className="stack banners">
      <Callout
        isSlim
        level="info"
        title={`${shownLine(name)} has changed`}
        actions={
          <>
            <Button size="small" disabled={isBusy} onClick={() => void living.compare(batch.id, false)}>
              See what changed
            </Button>
            <Button size="small" look="quiet" onClick={() => living.dismissChange(batch.id)}>
              Not now
            </Button>
          </>
        }
      >
        Review the changes before anything is applied.
      </Callout>
    </div>
  );
}
