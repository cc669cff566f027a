import { useEffect, useEffectEvent, useState } from 'react';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { useAppModel } from '../state/app-context.ts';

interface SupportProps {
  /** The user came for the diagnostics. */
  readonly isAsked: boolean;
}

/** What to send to somebody who helps, and where everything is. */
export function Support({ isAsked }: SupportProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const [text, setText] = useState<string>();
  const read = async (): Promise<void> => {
    const reply = await model.ask('diagnostics.read');
    if (reply.ok) setText(reply.value.text);
  };
  const close = (): void => {
    setText(undefined);
    // So that the menu can ask for them again.
    if (isAsked) model.go({ kind: 'help' });
  };
  const readOnce = useEffectEvent(() => run(read));
  useEffect(() => {
    if (isAsked) readOnce();
  }, [isAsked]);
  return (
    <div className="stack">
      <p>{words.help.support.text}</p>
      <div className="row wrap">
        <Button disabled={isBusy} onClick={() => run(read)}>
          {words.help.support.open}
        </Button>
        <FolderButtons />
        <Button look="quiet" onClick={() => void model.ask('help.open', { topic: 'your-data' })}>
          {words.help.support.yourData}
        </Button>
      </div>
      {text !== undefined && <Diagnostics text={text} onClose={close} />}
    </div>
  );
}

/** Shows the folders that a helper may ask for. */
export function FolderButtons() {
  const model = useAppModel();
  return (
    <>
      <Button look="quiet" onClick={() => void model.ask('log.openFolder')}>
        {words.shell.engine.openLogs}
      </Button>
      <Button look="quiet" onClick={() => void model.ask('data.openFolder')}>
        {words.help.support.openData}
      </Button>
    </>
  );
}

interface DiagnosticsProps {
  readonly text: string;
  readonly onClose: () => void;
}

/** The whole text, as it is saved or copied. */
function Diagnostics({ text, onClose }: DiagnosticsProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const save = async (): Promise<void> => {
    const reply = await model.ask('diagnostics.save');
    if (!reply.ok || reply.value === undefined) return;
    onClose();
    model.notices.show({ level: 'info', title: words.help.support.saved, message: reply.value.file });
  };
  const copy = async (): Promise<void> => {
    const reply = await model.ask('diagnostics.copy');
    if (!reply.ok) return;
    onClose();
    model.notices.show({ level: 'info', title: words.help.support.copied, message: '' });
  };
  return (
    <Dialog
      title={words.help.support.title}
      hint={words.help.support.hint}
      decline={words.common.close}
      actions={[
        { words: words.common.copy, onClick: () => run(copy), look: 'quiet' },
        { words: words.help.support.save, onClick: () => run(save) },
      ]}
      isBusy={isBusy}
      isWide
      testId="diagnostics"
      onClose={onClose}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard */}
      <pre className="selectable scroll" tabIndex={0}>
        {text}
      </pre>
    </Dialog>
  );
}
