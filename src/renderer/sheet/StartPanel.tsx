import { FolderOpen, Moon, Play, Plug } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { SheetView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/Field.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useBusy } from '../design/use-busy.ts';
import { countOf, formatCount } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { gatewayObstacle } from '../state/settings-store.ts';
import { readMaxSubmits } from '../state/start-form.ts';
import { LongTextDialog } from './LongTextDialog.tsx';
import styles from './StartPanel.module.css';

interface StartPanelProps {
  readonly sheet: SheetView;
  readonly isRehearsalFirst: boolean;
}

/** Where the rows are rendered, where the files go, how much it may cost, and the button that starts it. */
export function StartPanel({ sheet, isRehearsalFirst }: StartPanelProps) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const obstacle = useApp((state) => gatewayObstacle(state.settings, state.key));
  const [name, setName] = useState(sheet.name.replace(/\.[a-z0-9]{1,5}$/iu, ''));
  const [folder, setFolder] = useState<{ readonly folderId: string; readonly path: string }>();
  const [wantsRehearsal, setRehearsal] = useState(isRehearsalFirst);
  const [maxText, setMaxText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [isBusy, run] = useBusy();

  const isRehearsal = wantsRehearsal || obstacle !== undefined;
  const max = readMaxSubmits(maxText);
  const canRun = sheet.runnableRows > 0;
  const isReading = useStore(model.openSheet, (state) => state.isOpening);
  const canCreate = sheet.rowCount > 0 && name.trim() !== '' && max.ok && !isBusy && !isReading;

  const create = (start: boolean): void =>
    run(() =>
      model.createBatch({
        sheetId: sheet.sheetId,
        name: name.trim(),
        rehearsal: isRehearsal,
        start,
        ...(folder === undefined ? {} : { folderId: folder.folderId }),
        ...(max.ok && max.value !== undefined ? { maxSubmits: max.value } : {}),
      }),
    );
  const { longRows = 0 } = sheet;
  const start = (): void => (longRows > 0 ? setAsking(true) : create(true));
  const chooseFolder = async (): Promise<void> => {
    const reply = await model.ask('folder.choose');
    if (reply.ok && reply.value !== undefined) setFolder(reply.value);
  };

  return (
    <aside className={styles.panel} aria-label="Start">
      <div className={joinClasses(styles.fields, 'scroll')}>
        <TextField label="Name" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
        <GatewayChoice
          isRehearsal={isRehearsal}
          baseUrl={settings?.baseUrl ?? ''}
          obstacle={obstacle}
          onChange={setRehearsal}
        />
        <div className={styles.field}>
          <span className={styles.label}>Folder</span>
          <div className={styles.folder}>
            <span className={joinClasses(styles.path, 'selectable')} title={folder?.path ?? settings?.defaultFolder}>
              {visibleLine(folder?.path ?? settings?.defaultFolder ?? '')}
            </span>
            <Button size="small" icon={FolderOpen} disabled={isBusy} onClick={() => run(chooseFolder)}>
              Choose…
            </Button>
          </div>
          {folder === undefined && <p className={styles.hint}>A new folder is made in it, with the name above.</p>}
        </div>
        <TextField
          label="Maximum submits"
          inputMode="numeric"
          placeholder="No maximum"
          value={maxText}
          onChange={(event) => setMaxText(event.target.value)}
          problem={max.ok ? undefined : max.error}
          hint={maxHint(max.ok ? max.value : undefined, sheet.submits)}
        />
      </div>
      <div className={styles.start}>
        <p className={styles.sum}>
          <strong>{countOf(sheet.submits, 'submit')}</strong> from {countOf(sheet.runnableRows, 'row')}
          {isRehearsal ? ', nothing is paid.' : ', each may be charged.'}
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

interface GatewayChoiceProps {
  readonly isRehearsal: boolean;
  readonly baseUrl: string;
  /** Why the real gateway cannot be chosen. */
  readonly obstacle: string | undefined;
  readonly onChange: (isRehearsal: boolean) => void;
}

function GatewayChoice({ isRehearsal, baseUrl, obstacle, onChange }: GatewayChoiceProps) {
  const model = useAppModel();
  return (
    <div className={styles.field}>
      <span id="gateway-label" className={styles.label}>
        Gateway
      </span>
      <RadioGroup.Root
        className={styles.choices}
        aria-labelledby="gateway-label"
        value={isRehearsal ? 'rehearsal' : 'gateway'}
        onValueChange={(value) => onChange(value === 'rehearsal')}
      >
        <RadioGroup.Item className={styles.choice} value="rehearsal" aria-label="Rehearsal">
          <Moon size={16} strokeWidth={1.75} aria-hidden />
          <span className={styles.choiceTitle}>Rehearsal</span>
          <span className={styles.choiceText}>On the built-in gateway. Nothing is paid.</span>
        </RadioGroup.Item>
        <RadioGroup.Item
          className={styles.choice}
          value="gateway"
          aria-label="Your gateway"
          disabled={obstacle !== undefined}
        >
          <Plug size={16} strokeWidth={1.75} aria-hidden />
          <span className={styles.choiceTitle}>Your gateway</span>
          <span className={styles.choiceText}>{obstacle ?? visibleLine(baseUrl)}</span>
        </RadioGroup.Item>
      </RadioGroup.Root>
      {obstacle !== undefined && (
        <Button size="small" look="quiet" icon={Plug} onClick={() => model.go({ kind: 'welcome', page: 'connect' })}>
          Connect your gateway
        </Button>
      )}
    </div>
  );
}

function maxHint(max: number | undefined, submits: number): string {
  if (max !== undefined && max < submits) {
    return `It pauses after ${formatCount(max)}; ${formatCount(submits - max)} wait until you raise it.`;
  }
  return 'It pauses there, whatever happens. Takes that are tried again count too.';
}
