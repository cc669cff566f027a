import { Play } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { SheetView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useBusy } from '../design/use-busy.ts';
import { sumText } from '../format/costs.ts';
import { countOf } from '../format/numbers.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { LongTextDialog } from './LongTextDialog.tsx';
import { StartFields } from './StartFields.tsx';
import styles from './StartPanel.module.css';
import { useStartForm } from './use-start-form.ts';

interface StartPanelProps {
  readonly sheet: SheetView;
  readonly isRehearsalFirst: boolean;
}

/** Where the rows are rendered, where the files go, how much it may cost, and the button that starts it. */
export function StartPanel({ sheet, isRehearsalFirst }: StartPanelProps) {
  const model = useAppModel();
  const defaultFolder = useApp((state) => state.settings?.defaultFolder ?? '');
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const form = useStartForm({
    name: sheet.name.replace(/\.[a-z0-9]{1,5}$/iu, ''),
    isRehearsal: isRehearsalFirst,
  });
  const [isAsking, setAsking] = useState(false);
  const [isBusy, run] = useBusy();

  const { isRehearsal, max, folder } = form;
  const canRun = sheet.runnableRows > 0;
  const canCreate = sheet.rowCount > 0 && form.isComplete && !isBusy && !isChecking;
  const create = (start: boolean): void =>
    run(async () => {
      await model.bringIn.create({
        sheetId: sheet.sheetId,
        name: form.name.trim(),
        rehearsal: isRehearsal,
        start,
        ...(folder === undefined ? {} : { folderId: folder.folderId }),
        ...(max.ok && max.value !== undefined ? { maxSubmits: max.value } : {}),
      });
    });
  const { longRows = 0 } = sheet;
  const start = (): void => (longRows > 0 ? setAsking(true) : create(true));

  return (
    <aside className={styles.panel} aria-label="Start">
      <div className={joinClasses(styles.fields, 'scroll')}>
        <StartFields
          form={form}
          submits={sheet.submits}
          folder={defaultFolder}
          folderHint="A new folder is made in it, with the name above."
        />
      </div>
      <div className={styles.start}>
        <p className={styles.sum}>
          <strong>{countOf(sheet.submits, 'submit')}</strong> from {countOf(sheet.runnableRows, 'row')}
          {sumText(isRehearsal, sheet.cost, sheet.submitsWithoutPrice)}
        </p>
        <Button look="primary" size="large" icon={Play} disabled={!canRun || !canCreate} onClick={start}>
          {isRehearsal ? 'Start rehearsal' : `Start ${countOf(sheet.submits, 'submit')}`}
        </Button>
        {!canRun && <p className={styles.hint}>No row can run: see the errors.</p>}
        <Button look="quiet" disabled={!canCreate} onClick={() => create(false)}>
          Bring in without starting
        </Button>
      </div>
      <LongTextDialog
        isOpen={isAsking}
        rows={longRows}
        onConfirm={() => create(true)}
        onClose={() => setAsking(false)}
      />
    </aside>
  );
}
