import type { SheetView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { useAppModel } from '../state/app-context.ts';
import { earlierWords } from '../state/earlier-words.ts';

interface EarlierCalloutProps {
  readonly earlier: NonNullable<SheetView['earlier']>;
  readonly submits: number;
}

/** Says that the same file was brought in before, with the way to what became of it. */
export function EarlierCallout({ earlier, submits }: EarlierCalloutProps) {
  const model = useAppModel();
  const { title, text } = earlierWords(earlier, submits);
  return (
    <Callout
      level={earlier.rehearsal ? 'info' : 'warning'}
      title={title}
      actions={
        <Button size="small" onClick={() => model.go({ kind: 'batch', batchId: earlier.batchId })}>
          Open that batch
        </Button>
      }
    >
      {text}
    </Callout>
  );
}
