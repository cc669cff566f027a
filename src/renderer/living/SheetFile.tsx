import { CopyPlus, FileDown, FileInput, FileSpreadsheet, FolderOpen, RefreshCw, Save } from 'lucide-react';
import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
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
  const isAsking = useStore(model.batchDialog, ({ batchId, open }) => batchId === batch.id && open === 'resultsFile');
  const file = sheet?.batchId === batch.id ? sheet.file : undefined;
  const isWatched = sheet?.isWatched === true;
  return (
    <>
      <Menu
        align="end"
        button={
          <Button look="quiet" icon={FileSpreadsheet} disabled={isBusy} title={words.home.living.hint}>
            <span className="hidden-when-tight" data-word="least-used">
              {words.home.living.sheet}
            </span>
          </Button>
        }
      >
        <MenuGroup title={file === undefined ? words.home.living.noFile : shownLine(file)}>
          {file !== undefined && (
            <MenuItem icon={RefreshCw} onSelect={() => living.compare(batch.id, false)}>
              {words.home.living.reimport}
            </MenuItem>
          )}
          <MenuItem icon={FileInput} onSelect={() => living.compare(batch.id, true)}>
            {words.home.living.compare}
          </MenuItem>
          {file !== undefined && (
            <MenuCheck isChecked={isWatched} onChange={(checked) => void living.watch(batch.id, checked)}>
              {words.home.living.watch}
            </MenuCheck>
          )}
        </MenuGroup>
        <MenuGroup title={words.home.living.writeResults}>
          {file !== undefined && (
            <MenuItem icon={FileDown} onSelect={() => living.writeResults(batch.id, 'copy')}>
              {words.home.living.toCopy}
            </MenuItem>
          )}
          {file !== undefined && (
            <MenuItem
              icon={Save}
              onSelect={() => model.batchDialog.setState({ batchId: batch.id, open: 'resultsFile' })}
            >
              {words.home.living.toFile}
            </MenuItem>
          )}
          <MenuItem icon={FolderOpen} onSelect={() => living.writeResults(batch.id, 'chosen')}>
            {words.home.living.toChosen}
          </MenuItem>
        </MenuGroup>
        <MenuGroup>
          <MenuItem icon={CopyPlus} onSelect={() => model.newBatches.duplicate(batch.id)}>
            {words.home.living.duplicate}
          </MenuItem>
        </MenuGroup>
      </Menu>
      {isAsking && file !== undefined && (
        <ConfirmDialog
          title={words.home.living.asksToWrite}
          confirm={words.home.living.write}
          decline={words.common.cancel}
          onConfirm={() => void living.writeResults(batch.id, 'original')}
          onClose={() => model.batchDialog.setState({ open: undefined })}
        >
          {words.home.living.writes(shownLine(file))}
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
        title={words.home.living.hasChanged(shownLine(name))}
        actions={
          <>
            <Button size="small" disabled={isBusy} onClick={() => void living.compare(batch.id, false)}>
              {words.home.living.seeChanges}
            </Button>
            <Button size="small" look="quiet" onClick={() => living.dismissChange(batch.id)}>
              {words.home.living.notNow}
            </Button>
          </>
        }
      >
        {words.home.living.review}
      </Callout>
    </div>
  );
}
