import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { useBusy } from '../design/use-busy.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';

/** Forgets the key for an origin, after a question: a key cannot be read back, and batches need it through the night. */
export function useForgetKey(): {
  readonly isForgetting: boolean;
  readonly forget: (origin: string) => void;
  readonly forgetDialog: ReactNode;
} {
  const model = useAppModel();
  const [asked, setAsked] = useState<string>();
  const [isForgetting, run] = useBusy();
  const forgetNow = async (origin: string): Promise<void> => {
    const reply = await model.ask('key.clear', { origin });
    if (reply.ok) model.app.setState({ key: reply.value });
  };
  const forgetDialog = asked !== undefined && (
    <ConfirmDialog
      title={`Forget the key for ${visibleLine(asked)}?`}
      confirm="Forget the key"
      decline="Keep"
      onConfirm={() => run(() => forgetNow(asked))}
      onClose={() => setAsked(undefined)}
    >
      Without it nothing can be sent to this gateway, asked or fetched there: its batches pause until you enter the key
      again. Nocturne cannot show it to you before it is gone, so have it at hand elsewhere.
    </ConfirmDialog>
  );
  return { isForgetting, forget: setAsked, forgetDialog };
}
