import { FolderOpen, Moon, Plug } from 'lucide-react';
import { useId } from 'react';
import { useStore } from 'zustand';
import { Balance } from '../../batch/head/Balance.tsx';
import { KeyDoubt } from '../../settings/gateways/KeyTrustSettings.tsx';
import { Button, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { Choices, Labelled, TextField } from '../../design/Field.tsx';
import { limitHint } from '../../format/costs.ts';
import { isCanaryUsual } from '../../../shared/domain/task/canary.ts';
import type { BatchView, UnknownSummary } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { refusedAtFields, useApp, useAppModel, useBatches } from '../../state/app-context.ts';
import { currenciesFor } from '../../state/account-choices.ts';
import { Accounts } from './Accounts.tsx';
import { FilesPlaceField, type PlaceChoice } from './FilesPlace.tsx';
import { GateFields } from './GateFields.tsx';
import { MoneyField } from './MoneyField.tsx';
import { WhenFields } from './WhenFields.tsx';
import { gatewayObstacle, isShared } from '../../state/app-state.ts';
import { FUSE_LENGTH } from '../../../shared/domain/task/fuse.ts';
import { gatesEntered, gatesWords } from '../../state/opening/gate-answers.ts';
import { whenOf } from '../../state/opening/when-answers.ts';
import { joinClasses } from '../../design/join-classes.ts';
import styles from './StartPanel.module.css';
import {
  readCostLimit,
  readFuse,
  readRequestLimit,
  runOf,
  type StartAnswers,
  startChoice,
  unheldWords,
} from '../../state/opening/start-forms.ts';

interface StartFieldsProps {
  readonly form: StartForm;
  /** Paid requests that one run makes. */
  readonly submits: number;
  /** What they cost by the profile's prices, as far as that is known. */
  readonly cost: UnknownSummary['cost'] | undefined;
  /** Rows that run. */
  readonly rows: number;
  /** The default folder for its files, and what happens to it. */
  readonly folder: string;
  readonly folderHint: string;
  /** The accounts that the batch has now, if there are several. */
  readonly own?: BatchView['accounts'];
  /**
   * The batch, if it is one already: gates are tried on its files, or else on those of the newest batch that has some.
   */
  readonly tried?: BatchView;
  /** Where files on this computer are put. */
  readonly place: PlaceChoice;
  /** Cells name such files. */
  readonly namesFiles?: boolean;
}

/** Where to render the rows, where to put the files, and how much it may cost. */
export function StartFields({
  form,
  submits,
  cost,
  rows,
  folder,
  folderHint,
  own,
  tried,
  place,
  namesFiles,
}: StartFieldsProps) {
  const [isBusy, run] = useBusy();
  const folderNote = useId();
  const { answers, change, limit } = form;
  const path = answers.folder?.path ?? folder;
  const isPlaceShown = place.place !== undefined || namesFiles === true;
  const isTried = answers.canary ?? isCanaryUsual(rows, form.isRehearsal);
  return (
    <>
      <TextField
        label={words.common.name}
        value={answers.name}
        maxLength={200}
        onChange={(event) => change({ name: event.target.value })}
      />
      {form.isBound ? (
        <Accounts
          accounts={answers.accounts}
          own={own}
          refusal={form.refused.at('accounts') ?? form.refused.at('gateway')}
          onChange={form.setAccounts}
        />
      ) : (
        <GatewayChoice form={form} />
      )}
      {!form.isRehearsal && !form.isBound && (
        <>
          {answers.accounts === undefined && <Balance cost={cost ?? []} />}
          <KeyDoubt />
        </>
      )}
      <Labelled
        label={words.start.folder}
        noteId={folderNote}
        hint={answers.folder === undefined ? folderHint : undefined}
        refusal={form.refused.at('folder')}
      >
        <div className="row">
          <PathText path={path} />
          <Button
            size="small"
            icon={FolderOpen}
            disabled={isBusy}
            aria-describedby={folderNote}
            onClick={() => run(form.chooseFolder)}
          >
            {words.start.choose}
          </Button>
        </div>
      </Labelled>
      {isPlaceShown && <FilesPlaceField {...place} />}
      <TextField
        label={words.start.requestLimit}
        inputMode="numeric"
        placeholder={words.start.noLimit}
        value={answers.limitText}
        onChange={(event) => change({ limitText: event.target.value })}
        problem={limit.ok ? undefined : limit.error}
        hint={limitHint(limit.ok ? limit.value : undefined, submits)}
      />
      <SpendingFields form={form} place={isPlaceShown ? undefined : place} />
      <WhenFields answers={answers.when ?? form.usualWhen} onChange={(when) => change({ when })} />
      <GateSection form={form} tried={tried} />
      <label className="row">
        <input type="checkbox" checked={isTried} onChange={(event) => change({ canary: event.target.checked })} />
        {words.start.canary}
      </label>
      <label className="row">
        <input
          type="checkbox"
          checked={answers.picks === true}
          onChange={(event) => change({ picks: event.target.checked })}
        />
        {words.start.picks}
      </label>
    </>
  );
}

/** Closed, it says what is chosen; the answers are kept with the form. */
function GateSection({ form, tried }: { readonly form: StartForm; readonly tried: BatchView | undefined }) {
  const { answers, change } = form;
  const latest = useBatches()
    .filter(({ files }) => files > 0)
    .toSorted((a, b) => b.createdAt - a.createdAt)[0];
  const gates = answers.gates ?? gatesEntered(undefined);
  return (
    <details className={styles.advanced}>
      <summary>{words.start.gates.summary(gatesWords(gates))}</summary>
      <GateFields
        answers={gates}
        onChange={(changed) => change({ gates: changed })}
        tried={tried !== undefined && tried.files > 0 ? tried : latest}
      />
    </details>
  );
}

/** How much a batch may spend, and, for those who want it, when failures stop it, and more accounts. */
function SpendingFields({ form, place }: { readonly form: StartForm; readonly place: PlaceChoice | undefined }) {
  const { answers, isRehearsal, change, currencies } = form;
  const { costText = '', fuseText = String(FUSE_LENGTH) } = answers;
  const cost = readCostLimit(costText);
  const unheld = cost.ok && !isRehearsal ? unheldWords(cost.value, currencies) : undefined;
  const hint = currencies.length > 0 ? words.start.pricedLimitHint : words.start.unpricedLimitHint;
  const fuse = readFuse(fuseText);
  // Where the rows go must be in sight whenever the user comes back.
  const hasAccounts = !isRehearsal && !form.isBound && answers.accounts !== undefined;
  return (
    <>
      <MoneyField
        label={words.start.spendingLimit}
        value={costText}
        currencies={currencies}
        onChange={(typed) => change({ costText: typed })}
        problem={cost.ok ? unheld : cost.error}
        hint={hint}
      />
      <details className={styles.advanced} open={hasAccounts || undefined}>
        <summary>{words.start.advanced}</summary>
        <TextField
          label={words.start.fuse}
          inputMode="numeric"
          placeholder={words.start.usualFuse(FUSE_LENGTH)}
          value={fuseText}
          onChange={(event) => change({ fuseText: event.target.value })}
          problem={fuse.ok ? undefined : fuse.error}
          hint={words.start.fuseHint}
        />
        {!isRehearsal && !form.isBound && (
          <Accounts accounts={answers.accounts} refusal={form.refused.at('accounts')} onChange={form.setAccounts} />
        )}
        {place && <FilesPlaceField {...place} />}
      </details>
    </>
  );
}

function GatewayChoice({ form }: { readonly form: StartForm }) {
  const model = useAppModel();
  const baseUrl = useApp((state) => state.settings?.baseUrl ?? '');
  const isOnServer = useApp(isShared);
  const note = useId();
  const { obstacle } = form;
  const connect = (): void => {
    form.change({ wantsRehearsal: false });
    const from = model.navigation.getState().screen;
    model.go({ kind: 'welcome', page: 'connect', ...(from === undefined ? {} : { from }) });
  };
  return (
    <Labelled label={words.start.gateway.title} noteId={note} refusal={form.refused.at('gateway')}>
      <Choices
        label={words.start.gateway.title}
        describedBy={note}
        value={form.isRehearsal ? 'rehearsal' : 'gateway'}
        onChoose={(value) => form.change({ wantsRehearsal: value === 'rehearsal' })}
        options={[
          {
            value: 'rehearsal',
            title: words.start.gateway.rehearsal,
            text: isOnServer ? words.start.gateway.rehearsalOnServer : words.start.gateway.rehearsalAbout,
            isDisabled: isOnServer,
            icon: <Moon size={16} strokeWidth={1.75} aria-hidden />,
          },
          {
            value: 'gateway',
            title: words.start.gateway.own,
            text: obstacle ?? shownLine(baseUrl),
            icon: <Plug size={16} strokeWidth={1.75} aria-hidden />,
            isDisabled: obstacle !== undefined,
          },
        ]}
      />
      {obstacle !== undefined && (
        <Button size="small" look="quiet" icon={Plug} onClick={connect}>
          {words.start.gateway.connect}
        </Button>
      )}
    </Labelled>
  );
}

type StartForm = ReturnType<typeof useStartForm>;

/** The questions before an opened sheet or a batch starts, by its id, with the user's answers so far. */
export function useStartForm(id: string, beginning: StartAnswers) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const unconnected = useApp(gatewayObstacle);
  const typed = useStore(model.startForms.store, (forms) => forms[id]);
  const refusal = useStore(model.startForms.refused, (all) => all[id]);
  const answers = typed ?? beginning;
  // The batch has accounts of its own, as long as the user leaves it several: the settings' gateway does not matter.
  const isBound = beginning.accounts !== undefined && answers.accounts !== undefined;
  const obstacle = isBound ? undefined : unconnected;
  const change = (changed: Partial<StartAnswers>): void => model.startForms.change(id, beginning, changed);
  const currencies = isBound ? (settings?.currenciesOfAll ?? []) : currenciesFor(settings, answers.accounts);
  const choice = startChoice(answers, { lacksGateway: obstacle !== undefined, currencies });
  return {
    answers,
    change,
    isBound,
    currencies,
    setAccounts: (accounts: StartAnswers['accounts']) => change({ accounts }),
    isRehearsal: answers.wantsRehearsal || obstacle !== undefined,
    /** When it runs, before the user has entered anything. */
    usualWhen: whenOf(undefined, 0),
    /** Why the real gateway cannot be chosen. */
    obstacle,
    chooseFolder: async () => {
      const reply = await model.ask('folder.choose');
      if (reply.ok && reply.value !== undefined) change({ folder: reply.value });
    },
    limit: readRequestLimit(answers.limitText),
    /** Why it was not started, shown at the field in question. */
    refused: refusedAtFields(refusal),
    /** The answers that decide what the run will be. */
    run: runOf(answers, obstacle !== undefined),
    /** How many more requests at most follow each one that gives a file, because of the gates. */
    again: (choice.ok ? choice.value.gates?.again : undefined) ?? 0,
    /** What to make a batch with, or what to correct first. */
    choice,
  };
}

interface LongTextDialogProps {
  /** How many rows hold such a text. */
  readonly rows: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before sending texts so long that they are probably a mistake. */
export function LongTextDialog({ rows, onConfirm, onClose }: LongTextDialogProps) {
  return (
    <ConfirmDialog
      title={words.start.longTexts.title}
      confirm={words.start.longTexts.start}
      decline={words.common.back}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {words.start.longTexts.about(rows)}
    </ConfirmDialog>
  );
}

/** A path, cut at its beginning because its last name says the most. One text, so that it can be copied. */
function PathText({ path }: { readonly path: string }) {
  return (
    <code className={joinClasses('grow soft cut selectable', styles.path)} title={path}>
      <bdi dir="ltr">{shownLine(path)}</bdi>
    </code>
  );
}
