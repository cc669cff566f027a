import { useEffect, useState } from 'react';
import { assertNever } from '../../../shared/domain/base/result.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import {
  doubtWords,
  PROBE_OPERATION,
  PROBE_OPERATIONS,
  PROBE_PROMPT,
  PROBE_REQUESTS,
  probePriceWords,
  verdictWords,
} from '../../../shared/domain/task/key-probe.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { KeyTrustView } from '../../../shared/ipc/profiles.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout, type CalloutProps } from '../../design/Callout.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Labelled, TextField } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { formatDayAndClock } from '../../format/times.ts';
import { useAnswer, useApp, useAppModel, useBatch } from '../../state/app-context.ts';
import { gatewayObstacle } from '../../state/app-state.ts';
import { standingOf } from '../../state/batch/batch-progress.ts';

/** What is believed about the keys of requests at a gateway, by its profile as it is saved, and the way to try it. */
export function KeyTrustSettings({ gateway }: { readonly gateway: string }) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const obstacle = useApp((state) => gatewayObstacle(state, gateway));
  const [read, setRead] = useState<{
    readonly trust: KeyTrustView | undefined;
    readonly with: BatchView | undefined;
  }>();
  const [isAsking, setAsking] = useState(false);
  const probe = useBatch(read?.trust?.lastProbe ?? '');
  useEffect(() => {
    // Read again for other settings, after a probe was sent, and for everything that it shows.
    if (settings === undefined || isAsking) return undefined;
    let isGone = false;
    void model.client.request('profile.keyTrust', { profile: gateway }).then((reply) => {
      if (!isGone) setRead({ trust: reply.ok ? reply.value : undefined, with: probe });
    });
    return () => {
      isGone = true;
    };
  }, [model, settings, gateway, probe, isAsking]);
  const trust = read?.trust;
  if (trust === undefined) return null;
  const isOpen = probe !== undefined && (trust.proof === undefined || trust.proof.at < probe.createdAt);
  const isTrying = isOpen && (probe.state === 'running' || read?.with !== probe);
  return (
    <section className="stack" aria-label={words.settings.keyTrust.label} data-testid="key-trust">
      <Callout
        {...belief(trust)}
        actions={
          <Button size="small" disabled={obstacle !== undefined || isTrying} onClick={() => setAsking(true)}>
            {words.settings.keyTrust.tryIt}
          </Button>
        }
      />
      {obstacle !== undefined && <p className="faint">{obstacle}</p>}
      {probe !== undefined && <ProbeLine probe={probe} trust={trust} isOpen={isOpen} isTrying={isTrying} />}
      {isAsking && <ProbeDialog gateway={gateway} trust={trust} onClose={() => setAsking(false)} />}
    </section>
  );
}

/** What is believed, in words, and how serious that is. */
function belief({ header: given, proof }: KeyTrustView): Pick<CalloutProps, 'level' | 'title' | 'children'> {
  const header = shownLine(given);
  const seen = proof === undefined ? '' : formatDayAndClock(proof.at);
  const verdict = proof?.verdict;
  switch (verdict) {
    case 'passed':
      return {
        level: 'info',
        title: words.settings.keyTrust.passed(header),
        children: words.common.sentences([words.settings.keyTrust.passedOn(seen), verdictWords(verdict, { header })]),
      };
    case 'refuted':
      return {
        level: 'warning',
        title: words.settings.keyTrust.refuted(header),
        children: words.common.sentences([words.settings.keyTrust.refutedOn(seen), verdictWords(verdict, { header })]),
      };
    case undefined:
      return {
        level: 'warning',
        title: words.settings.keyTrust.untried(header),
        children: words.settings.keyTrust.untriedHint,
      };
    default:
      return assertNever(verdict);
  }
}

interface ProbeLineProps {
  readonly probe: BatchView;
  readonly trust: KeyTrustView;
  /** The probe has shown nothing yet. */
  readonly isOpen: boolean;
  /** But it still may. */
  readonly isTrying: boolean;
}

/** How far the last probe has got, and what it has shown. */
function ProbeLine({ probe, trust, isOpen, isTrying }: ProbeLineProps) {
  const model = useAppModel();
  const header = shownLine(trust.header);
  return (
    <div className="row">
      <output className="grow soft">
        {isTrying
          ? words.settings.keyTrust.isTrying
          : words.common.sentences([
              words.settings.keyTrust.lastProbe(standingOf(probe).words),
              isOpen ? verdictWords(undefined, { header }) : '',
            ])}
      </output>
      <Button size="small" look="quiet" onClick={() => model.go({ kind: 'batch', batchId: probe.id })}>
        {words.settings.keyTrust.show}
      </Button>
    </div>
  );
}

interface ProbeDialogProps {
  readonly gateway: string;
  readonly trust: KeyTrustView;
  readonly onClose: () => void;
}

/** Says what a probe costs, and sends it. */
function ProbeDialog({ gateway, trust, onClose }: ProbeDialogProps) {
  const model = useAppModel();
  const defaultFolder = useApp((state) => state.settings?.defaultFolder ?? '');
  const [operation, setOperation] = useState<OperationPath>(PROBE_OPERATION);
  const [prompt, setPrompt] = useState(PROBE_PROMPT);
  const [isBusy, run] = useBusy();
  const send = async (): Promise<void> => {
    const reply = await model.ask('batch.probe', { profile: gateway, operation, prompt, submits: PROBE_REQUESTS });
    if (!reply.ok) return;
    model.batches.put(reply.value);
    onClose();
  };
  return (
    <Dialog
      title={words.settings.keyTrust.ask}
      hint={probePriceWords(trust.prices, { header: shownLine(trust.header) }, operation)}
      decline={words.settings.keyTrust.notNow}
      actions={[
        {
          words: words.settings.keyTrust.send,
          look: 'primary',
          isDisabled: prompt.trim() === '',
          onClick: () => run(send),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <Labelled label={words.settings.keyTrust.operation}>
        <Select
          label={words.settings.keyTrust.operation}
          value={operation}
          options={PROBE_OPERATIONS.map(({ path, title }) => ({ value: path, words: title }))}
          onChoose={(value) => {
            const chosen = PROBE_OPERATIONS.find(({ path }) => path === value);
            if (chosen !== undefined) setOperation(chosen.path);
          }}
        />
      </Labelled>
      <TextField
        label={words.settings.keyTrust.prompt}
        value={prompt}
        maxLength={2000}
        onChange={(event) => setPrompt(event.target.value)}
        hint={words.settings.keyTrust.savedTo(shownLine(defaultFolder))}
      />
    </Dialog>
  );
}

/**
 * Warns as long as no probe has shown that the gateway of a batch, or the one that new batches use, charges only once
 * for one key. Shows nothing if its profile does not count on that.
 */
export function KeyDoubt({ batch }: { readonly batch?: BatchView }) {
  const about = batch === undefined ? {} : { batchId: batch.id };
  const trust = useAnswer('profile.keyTrust', about, batch?.submitsUsed);
  const doubt = trust && doubtWords(trust.proof?.verdict, { header: shownLine(trust.header) });
  return doubt === undefined ? null : <Callout isSlim level="warning" title={doubt} />;
}
