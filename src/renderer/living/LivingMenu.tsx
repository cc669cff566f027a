import { Check, CopyPlus, FileDown, FileInput, FileSpreadsheet, FolderOpen, RefreshCw, Save } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/ConfirmDialog.tsx';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './LivingMenu.module.css';

/** What can be done with the file of a batch: re-import it, watch it, write the results next to it. */
export function LivingMenu({
  batch,
  className,
}: {
  readonly batch: BatchView;
  readonly className: string | undefined;
}) {
  const model = useAppModel();
  const { living } = model;
  const isBusy = useStore(living.store, (state) => state.isBusy);
  const sheet = useStore(model.editing.store, (state) => state.sheet);
  const [isAsking, setAsking] = useState(false);
  const file = sheet?.batchId === batch.id ? sheet.file : undefined;
  const isWatched = sheet?.isWatched === true;
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button look="quiet" icon={FileSpreadsheet} disabled={isBusy} title="The sheet’s file and its results">
            <span className={className}>Sheet</span>
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className={styles.menu} align="end" sideOffset={6}>
            <DropdownMenu.Label className={styles.label}>
              {file === undefined ? 'This sheet has no file of yours' : visibleLine(file)}
            </DropdownMenu.Label>
            {file !== undefined && (
              <Item
                icon={<RefreshCw size={15} strokeWidth={1.75} aria-hidden />}
                onSelect={() => living.compare(batch.id, false)}
              >
                Re-import…
              </Item>
            )}
            <Item
              icon={<FileInput size={15} strokeWidth={1.75} aria-hidden />}
              onSelect={() => living.compare(batch.id, true)}
            >
              Compare with another file…
            </Item>
            {file !== undefined && (
              <DropdownMenu.CheckboxItem
                className={styles.item}
                checked={isWatched}
                onCheckedChange={(checked) => void living.watch(batch.id, checked)}
              >
                <span className={styles.check}>{isWatched && <Check size={15} strokeWidth={2} aria-hidden />}</span>
                Watch for changes
              </DropdownMenu.CheckboxItem>
            )}
            <DropdownMenu.Separator className={styles.separator} />
            <DropdownMenu.Label className={styles.label}>Write results</DropdownMenu.Label>
            {file !== undefined && (
              <Item
                icon={<FileDown size={15} strokeWidth={1.75} aria-hidden />}
                onSelect={() => living.writeResults(batch.id, 'copy')}
              >
                To a copy next to the file
              </Item>
            )}
            {file !== undefined && (
              <Item icon={<Save size={15} strokeWidth={1.75} aria-hidden />} onSelect={() => setAsking(true)}>
                To the file itself…
              </Item>
            )}
            <Item
              icon={<FolderOpen size={15} strokeWidth={1.75} aria-hidden />}
              onSelect={() => living.writeResults(batch.id, 'chosen')}
            >
              To a file of your choice…
            </Item>
            <DropdownMenu.Separator className={styles.separator} />
            <Item
              icon={<CopyPlus size={15} strokeWidth={1.75} aria-hidden />}
              onSelect={() => model.bringIn.duplicate(batch.id)}
            >
              Duplicate the batch
            </Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <ConfirmDialog
        isOpen={isAsking}
        title="Write the results to the file itself?"
        confirm="Write to the file"
        decline="Cancel"
        onConfirm={() => void living.writeResults(batch.id, 'original')}
        onClose={() => setAsking(false)}
      >
        {file !== undefined && visibleLine(file)} gets the columns status, files, taskCode and failure. A backup is
        saved as “.bak”. Close the file in other programs first.
      </ConfirmDialog>
    </>
  );
}

interface ItemProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
  readonly onSelect: () => unknown;
}

function Item({ icon, children, onSelect }: ItemProps) {
  return (
    <DropdownMenu.Item className={styles.item} onSelect={() => void onSelect()}>
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}
