import { useState, type ReactNode } from 'react';
import { FAILURE_POLICIES, pauseOf } from '../../../shared/domain/base/failure.ts';
import { pauseRemedy } from '../../../shared/domain/task/spending.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Phrase } from '../../design/Page.tsx';
import { asSentence } from '../../../shared/domain/base/text.ts';
import { shownText } from '../../format/shown-text.ts';
import { unknownWords } from '../../format/costs.ts';
import { useAnswer, useApp, useAppModel, useRows } from '../../state/app-context.ts';
import { undecidedIn } from '../../../shared/domain/task/batch-standing.ts';
import { words } from '../../../shared/words/words.ts';
import { type GatewayPart, screenOfGateway, screenOfKey } from '../../state/app-state.ts';
import { isSaidOfAccount, statusTotals } from '../../state/batch/batch-progress.ts';
import { isKeyKept, keyWantedBy } from '../../settings/gateways/Keys.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';
import { ChangeLimit, useLimitReached } from './ChangeLimit.tsx';
import { StatusQuestions } from './StatusQuestions.tsx';
import { WhenDialog } from './WhenDialog.tsx';

/** Why a batch is paused and what to do; the rows that need a decision, and questions that only the user can answer. */
export function PauseBanner({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const unknown = undecidedIn({ takes: statusTotals(batch.counts), settling: batch.settling });
  const isShown = useRows(({ filter }) => filter.status?.length === 1 && filter.status[0] === 'submit-unknown');
  const hasQuestions = batch.statusQuestions !== undefined;
  const stopped = (batch.accounts ?? []).filter(({ stop }) => stop !== undefined);
  const isQuiet = batch.pause === undefined && unknown === 0 && batch.waitsFor === undefined && !hasQuestions;
  if (isQuiet && stopped.length === 0) return null;
  return (
    <div className="stack banners">
      {batch.pause?.by === 'failure' && !isSaidOfAccount(batch) && (
        <PausedByFailure batch={batch} failure={batch.pause.failure} />
      )}
      {batch.pause?.by === 'user' && (
        <Callout isSlim level="paused" title={words.batch.pause.byUser}>
          {words.batch.pause.byUserText(batch.pause.disk !== undefined)}
        </Callout>
      )}
      {batch.pause?.disk !== undefined && <PausedByFailure batch={batch} failure={batch.pause.disk} />}
      {stopped.map((account) => (
        <StoppedAccount key={account.name} batch={batch} account={account} />
      ))}
      {batch.waitsFor !== undefined && (
        <Callout isSlim level="paused" title={batch.waitsFor.title}>
          <Reason of={batch.waitsFor} next={words.batch.pause.waitsText} />
        </Callout>
      )}
      {unknown > 0 && (
        <Callout
          isSlim
          level="warning"
          title={words.batch.pause.unknown(unknown)}
          actions={
            <Button size="small" onClick={() => model.rows.setFilter(isShown ? {} : { status: ['submit-unknown'] })}>
              {isShown ? words.batch.pause.showAll : words.batch.pause.show}
            </Button>
          }
        >
          {unknownWords(unknown, batch.rehearsal)}
        </Callout>
      )}
      <StatusQuestions batch={batch} />
    </div>
  );
}

/** Files that are only in the folder that another one has replaced; it is looked for them whenever the batch rests. */
export function MissingFiles({ batch: { id, state, files } }: { readonly batch: BatchView }) {
  const { files: missing = 0 } = useAnswer('batch.missingFiles', { batchId: id }, `${state} ${files}`) ?? {};
  if (missing === 0) return null;
  return (
    <div className="stack banners">
      <Callout isSlim level="warning" title={words.batch.missingFiles(missing)}>
        {words.batch.missingFilesText}
      </Callout>
    </div>
  );
}

/** What happened, in words that may be foreign, and what to do. */
function Reason({ of, next }: { readonly of: PauseFailure; readonly next: string }) {
  const { message, isForeign } = of;
  if (message === '') return next;
  const happened = (
    <span className="banner-words" title={shownText(message)} translate={isForeign === true ? 'no' : undefined}>
      {asSentence(shownText(message))}
    </span>
  );
  return <Phrase of={words.batch.followedBy<ReactNode>(happened, next)} />;
}

/** Whether an account that has stopped may go on alone: not if something else holds the whole batch. */
function mayGoOnAlone({ state, pause }: BatchView, stop: PauseFailure): boolean {
  if (state === 'running') return true;
  return state === 'paused' && pause?.by === 'failure' && pause.disk === undefined && pause.failure.code === stop.code;
}

/** One of several accounts has stopped. What it was sent waits until the account or the batch is resumed. */
function StoppedAccount({ batch, account }: { readonly batch: BatchView; readonly account: Account }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { name, gateway, keyName, stop } = account;
  if (stop === undefined) return null;
  const { title } = FAILURE_POLICIES[stop.code];
  const remedyAt = pauseOf(stop.code)?.remedyAt;
  const actions = (
    <>
      {stop.cap?.of === 'account' && <ChangeAccountLimit batch={batch} />}
      {remedyAt === 'key' && (
        <Button
          size="small"
          onClick={() =>
            model.go(screenOfKey(model.app.getState().settings, { origin: gateway, ...present({ name: keyName }) }))
          }
        >
          {words.batch.pause.enterKey}
        </Button>
      )}
      {mayGoOnAlone(batch, stop) && (
        <Button
          size="small"
          disabled={isBusy}
          onClick={() => run(async () => void (await model.ask('batch.resume', { batchId: batch.id, account: name })))}
        >
          {words.batch.pause.resumeAccount}
        </Button>
      )}
    </>
  );
  return (
    <Callout isSlim level="error" title={words.batch.pause.account(shownText(name), title)} actions={actions}>
      <Reason of={stop} next={pauseRemedy(stop.code, stop.cap?.of)} />
    </Callout>
  );
}

function ChangeAccountLimit({ batch }: { readonly batch: BatchView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {words.batch.pause.changeItsLimit}
      </Button>
      {isOpen && <LimitsDialog batch={batch} onClose={() => setOpen(false)} />}
    </>
  );
}

type Account = NonNullable<BatchView['accounts']>[number];
type PauseFailure = Extract<NonNullable<BatchView['pause']>, { by: 'failure' }>['failure'];

function ChangeWhen({ batch }: { readonly batch: BatchView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {words.batch.pause.changeWhen}
      </Button>
      {isOpen && <WhenDialog batch={batch} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ToGatewayProps {
  readonly batch: BatchView;
  readonly failure: PauseFailure;
  readonly part: GatewayPart;
  readonly children: string;
}

/** A link to the settings of the gateway with which the batch goes on. */
function ToGateway({ batch, failure, part, children }: ToGatewayProps) {
  const model = useAppModel();
  return (
    <Button
      size="small"
      onClick={() => model.go(screenOfGateway(model.app.getState().settings, batch, part, failure.gateway))}
    >
      {children}
    </Button>
  );
}

function ToSpending({ children }: { readonly children: string }) {
  const model = useAppModel();
  return (
    <Button size="small" onClick={() => model.go({ kind: 'settings', part: 'spending' })}>
      {children}
    </Button>
  );
}

/** A limit of the batch is changed here, one for all batches in the settings. */
function LimitRemedy({ batch, cap }: { readonly batch: BatchView; readonly cap: PauseFailure['cap'] }) {
  if (cap?.of === 'account') return <ChangeAccountLimit batch={batch} />;
  if (cap?.of === 'night' || cap?.of === 'month')
    return <ToSpending>{words.batch.pause.changeLimit[cap.of]}</ToSpending>;
  return <ChangeLimit batch={batch} lacks={cap?.lacks ?? 'requests'} />;
}

/** The buttons that end a pause. */
export function Remedy({ batch, failure }: { readonly batch: BatchView; readonly failure: PauseFailure }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  switch (pauseOf(failure.code)?.remedyAt) {
    case 'limit':
      return <LimitRemedy batch={batch} cap={failure.cap} />;
    case 'price':
      return (
        <>
          <ToGateway batch={batch} failure={failure} part="prices">
            {words.batch.pause.prices}
          </ToGateway>
          <LimitRemedy batch={batch} cap={failure.cap} />
        </>
      );
    case 'key':
      // The key of the batch's own gateway, which may not be the connected one.
      return (
        <Button size="small" onClick={() => model.go(screenOfKey(model.app.getState().settings, keyWantedBy(batch)))}>
          {words.batch.pause.enterKey}
        </Button>
      );
    case 'profile':
      return (
        <ToGateway batch={batch} failure={failure} part="profile">
          {words.batch.pause.correctProfile}
        </ToGateway>
      );
    case 'canary':
      return (
        <Button
          size="small"
          disabled={isBusy}
          onClick={() =>
            run(async () => void (await model.ask('batch.resume', { batchId: batch.id, releases: 'kind' })))
          }
        >
          {words.batch.pause.sendAnyway}
        </Button>
      );
    case 'when':
      return <ChangeWhen batch={batch} />;
    case undefined:
      return undefined;
  }
}

/** What the batch lacked is there by now; it goes on only when the user says so. */
function KeyStored({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const resume = (
    <Button
      size="small"
      disabled={isBusy}
      onClick={() => run(() => model.batchCommands.command('batch.resume', batch.id))}
    >
      {words.batch.actions.resume}
    </Button>
  );
  return (
    <Callout isSlim level="paused" title={words.batch.pause.keyStored} actions={resume}>
      {words.batch.pause.keyStoredText}
    </Callout>
  );
}

/** Why a batch is paused, or must not be started unseen. */
export function PausedByFailure({ batch, failure }: { readonly batch: BatchView; readonly failure: PauseFailure }) {
  const hasKey = useApp((state) => isKeyKept(state.key, keyWantedBy(batch)));
  const reached = useLimitReached(batch);
  const { title } = FAILURE_POLICIES[failure.code];
  if (failure.code === 'KEY_MISSING' && hasKey) return <KeyStored batch={batch} />;
  if (failure.code === 'CAP_REACHED' && batch.state === 'paused' && reached === undefined) {
    return (
      <Callout isSlim level="paused" title={words.batch.pause.hasRoom}>
        {words.batch.pause.hasRoomText}
      </Callout>
    );
  }
  return (
    <Callout
      isSlim
      level="error"
      title={batch.state === 'ready' ? title : words.batch.pause.byFailure(title)}
      actions={<Remedy batch={batch} failure={failure} />}
    >
      <Reason of={failure} next={pauseRemedy(failure.code, failure.cap?.of)} />
    </Callout>
  );
}
