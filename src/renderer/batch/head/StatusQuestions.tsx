import type { BatchView, StatusQuestionView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { FAMILY_NAMES, operationOf } from '../../../shared/domain/operations/operations.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { present } from '../../../shared/domain/base/result.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';

type Question = NonNullable<BatchView['statusQuestions']>[number];

/**
 * Asks what a status of the gateway means, which only the user can know: for a batch, or for one row whose failure was
 * inferred from it.
 */
export function StatusQuestions({ batch, row }: { readonly batch: BatchView; readonly row?: RowView }) {
  const questions = (batch.statusQuestions ?? []).filter((one) => row === undefined || isOf(one, row));
  return questions.map((question) => (
    <Asked
      key={JSON.stringify([question.family, question.status, question.account])}
      batchId={batch.id}
      question={question}
    />
  ));
}

function isOf({ family, status }: Question, { operation, failure }: RowView): boolean {
  return operation !== undefined && operationOf(operation).family === family && failure?.status === status;
}

function Asked({ batchId, question }: { readonly batchId: string; readonly question: Question }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { family, status, account, tasks } = question;
  const asked: StatusQuestionView = { family, status, ...present({ account }) };
  const answer = (said: 'failed' | 'inferred') => () =>
    run(() => model.batchCommands.answerStatus({ batchId, question: asked, answer: said }));
  return (
    <Callout
      isSlim
      level="info"
      title={words.batch.status.title(FAMILY_NAMES[family], shownLine(status))}
      actions={
        <>
          <Button size="small" disabled={isBusy} onClick={answer('failed')}>
            {words.batch.status.yes}
          </Button>
          <Button size="small" look="quiet" disabled={isBusy} onClick={answer('inferred')}>
            {words.common.no}
          </Button>
        </>
      }
    >
      {words.batch.status.text(account === undefined ? undefined : shownLine(account), tasks)}
    </Callout>
  );
}
