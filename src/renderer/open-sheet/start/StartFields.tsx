import { FolderOpen, Moon, Plug } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useBusy } from '../../design/use-busy.ts';
import { visibleLine } from '../../format/visible-text.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';
import { limitHint } from './start-words.ts';
import styles from './StartPanel.module.css';
import type { StartForm } from './use-start-form.ts';

interface StartFieldsProps {
  readonly form: StartForm;
  /** Paid requests that a run of it makes. */
  readonly submits: number;
  /** Where its files go while nothing else is chosen, and what becomes of that. */
  readonly folder: string;
  readonly folderHint: string;
}

/** Where the rows are rendered, where the files go, and how much it may cost. */
export function StartFields({ form, submits, folder, folderHint }: StartFieldsProps) {
  const [isBusy, run] = useBusy();
  const { answers, change, limit } = form;
  const path = answers.folder?.path ?? folder;
  return (
    <>
      <TextField
        label="Name"
        value={answers.name}
        maxLength={200}
        onChange={(event) => change({ name: event.target.value })}
      />
      <GatewayChoice form={form} />
      <div className={styles.field}>
        <span className={styles.label}>Folder</span>
        <div className={styles.folder}>
          <span className={joinClasses(styles.path, 'selectable')} title={path}>
            {visibleLine(path)}
          </span>
          <Button size="small" icon={FolderOpen} disabled={isBusy} onClick={() => run(form.chooseFolder)}>
            Choose…
          </Button>
        </div>
        {answers.folder === undefined && <p className={styles.hint}>{folderHint}</p>}
      </div>
      <TextField
        label="Request limit"
        inputMode="numeric"
        placeholder="No limit"
        value={answers.limitText}
        onChange={(event) => change({ limitText: event.target.value })}
        problem={limit.ok ? undefined : limit.error}
        hint={limitHint(limit.ok ? limit.value : undefined, submits)}
      />
    </>
  );
}

function GatewayChoice({ form }: { readonly form: StartForm }) {
  const model = useAppModel();
  const baseUrl = useApp((state) => state.settings?.baseUrl ?? '');
  const { obstacle } = form;
  const connect = (): void => {
    form.change({ wantsRehearsal: false });
    const from = model.navigation.getState().screen;
    model.go({ kind: 'welcome', page: 'connect', ...(from === undefined ? {} : { from }) });
  };
  return (
    <div className={styles.field}>
      <span id="gateway-label" className={styles.label}>
        Gateway
      </span>
      <RadioGroup.Root
        className={styles.choices}
        aria-labelledby="gateway-label"
        value={form.isRehearsal ? 'rehearsal' : 'gateway'}
        onValueChange={(value) => form.change({ wantsRehearsal: value === 'rehearsal' })}
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
        <Button size="small" look="quiet" icon={Plug} onClick={connect}>
          Connect your gateway
        </Button>
      )}
    </div>
  );
}
