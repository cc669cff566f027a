import { useState } from 'react';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { MoneyField } from '../../open-sheet/start/MoneyField.tsx';
import { useApp, useAsking } from '../../state/app-context.ts';
import { readAccountLimits, readLimits, type TypedLimits, typedLimits } from '../../state/batch/limit-change.ts';
import styles from '../../open-sheet/start/StartDialog.module.css';

interface LimitsDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** Changes the limits of a batch that has been started, before they hold it up: from the next request on. */
export function LimitsDialog({ batch, onClose }: LimitsDialogProps) {
  const { ask, refused } = useAsking();
  const { maxSubmits, maxCost, submitsUsed, spent } = batch;
  // Only what is typed: the other limits may be changed elsewhere meanwhile.
  const [own, setOwn] = useState<Partial<TypedLimits>>({});
  const { requests, cost } = { ...typedLimits({ limit: { requests: maxSubmits, cost: maxCost } }), ...own };
  const [isBusy, run] = useBusy();
  const read = readLimits(batch, own);
  const accounts = batch.accounts ?? [];
  const [typed, setTyped] = useState<Readonly<Record<string, Partial<TypedLimits>>>>({});
  const ofAccounts = readAccountLimits(accounts, typed);
  const isWrong = [read.problems, ...Object.values(ofAccounts.problems)].some(
    (problems) => problems.requests !== undefined || problems.cost !== undefined,
  );
  const change =
    isWrong || (read.change ?? ofAccounts.change) === undefined ? undefined : { ...read.change, ...ofAccounts.change };
  const save = async (): Promise<void> => {
    if (change === undefined) return;
    const reply = await ask('batch.configure', { batchId: batch.id, ...change });
    if (reply.ok) onClose();
  };
  return (
    <Dialog
      title={words.batch.limit.ofBatch}
      refusal={refused.besides()}
      decline={words.common.cancel}
      actions={[
        { words: words.common.save, look: 'primary', isDisabled: change === undefined, onClick: () => run(save) },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className={joinClasses(styles.fields, 'stack scroll')}>
        <TextField
          label={words.batch.limit.requests}
          inputMode="numeric"
          placeholder={words.batch.limit.none}
          value={requests}
          onChange={(event) => setOwn({ ...own, requests: event.target.value })}
          problem={read.problems.requests}
          hint={words.batch.limit.sentOfBatch(submitsUsed)}
        />
        <MoneyField
          label={words.batch.limit.spending}
          value={cost}
          onChange={(text) => setOwn({ ...own, cost: text })}
          problem={read.problems.cost}
          hint={spent === undefined ? words.batch.limit.pausesBefore : words.batch.limit.spentSoFar(moneyText(spent))}
        />
        {accounts.map((account) => (
          <AccountLimits
            key={account.name}
            account={account}
            typed={{ ...typedLimits(account), ...typed[account.name] }}
            problems={ofAccounts.problems[account.name]}
            onChange={(limit) => setTyped({ ...typed, [account.name]: { ...typed[account.name], ...limit } })}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface AccountLimitsProps {
  readonly account: NonNullable<BatchView['accounts']>[number];
  readonly typed: TypedLimits;
  readonly problems: ReturnType<typeof readLimits>['problems'] | undefined;
  readonly onChange: (limit: Partial<TypedLimits>) => void;
}

/** What is sent and spent with one account of the batch alone. */
function AccountLimits({ account, typed, problems, onChange }: AccountLimitsProps) {
  const currencies = useApp((state) => state.settings?.currenciesOfAll) ?? [];
  const { name, requests = 0, spent } = account;
  return (
    <fieldset>
      <legend className="name">{words.batch.limit.ofAccount(shownLine(name))}</legend>
      <div className={styles.pair}>
        <TextField
          label={words.batch.limit.requests}
          inputMode="numeric"
          placeholder={words.batch.limit.none}
          value={typed.requests}
          onChange={(event) => onChange({ requests: event.target.value })}
          problem={problems?.requests}
          hint={words.batch.limit.sent(requests)}
        />
        <MoneyField
          label={words.batch.limit.spending}
          value={typed.cost}
          currencies={currencies}
          onChange={(cost) => onChange({ cost })}
          problem={problems?.cost}
          hint={spent === undefined ? undefined : words.batch.limit.spent(moneyText(spent))}
        />
      </div>
    </fieldset>
  );
}
