import { useState } from 'react';
import { isUnencrypted } from '../../../shared/domain/gateway/hosts.ts';
import type { ConnectionReport } from '../../../shared/domain/gateway/learned/connection.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { countText, freeName } from '../../../shared/domain/base/text.ts';
import type { ChosenAccount } from '../../../shared/ipc/accounts.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Labelled, TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Select } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { ConnectionFindings } from '../../settings/gateways/GatewayForm.tsx';
import { gatewayOf, keyChoices, nameProblem, newKeyName } from '../../state/account-choices.ts';
import { useApp, useAppModel, useAsking } from '../../state/app-context.ts';
import { readCostLimit, readRequestLimit, unheldWords } from '../../state/opening/start-forms.ts';
import { MoneyField } from './MoneyField.tsx';
import styles from './StartDialog.module.css';

interface AccountDialogProps {
  /** Undefined: a new one. */
  readonly account: ChosenAccount | undefined;
  /** The other accounts of the batch: two with the same gateway have different keys. */
  readonly others: readonly ChosenAccount[];
  readonly onDone: (account: ChosenAccount) => void;
  readonly onClose: () => void;
}

/** A key that is not stored yet. No key has this name: it begins with a space. */
const ANOTHER = ' another';
const OF_GATEWAY = ' of gateway';

/** An account of a batch: its gateway, its key, and the most that is sent and spent with it. */
export function AccountDialog({ account, others, onDone, onClose }: AccountDialogProps) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const status = useApp((state) => state.key);
  const [name, setName] = useState(
    account?.name ??
      freeName(
        words.start.account.spare,
        others.map((one) => one.name),
      ),
  );
  const [profile, setProfile] = useState(() => account?.profile ?? unusedProfile(settings?.gateways, others));
  const [chosen, setChosen] = useState(account && (account.keyName ?? OF_GATEWAY));
  const [text, setText] = useState('');
  const { requests, cost } = account?.limit ?? {};
  const [requestText, setRequests] = useState(requests === undefined ? '' : countText(requests));
  const [costText, setCost] = useState(cost === undefined ? '' : moneyText(cost));
  const [report, setReport] = useState<ConnectionReport>();
  const [isBusy, run] = useBusy();
  const { ask, refused } = useAsking();

  const gateway = gatewayOf(settings, profile);
  const origin = gateway?.origin;
  const keys = origin === undefined ? [] : keyChoices(origin, status, settings, others);
  const options = [
    ...keys.map(({ name: keyName, last4 }) => ({
      value: keyName ?? OF_GATEWAY,
      words: words.start.account.key(keyName && shownLine(keyName), last4),
      isStored: last4 !== undefined,
    })),
    { value: ANOTHER, words: words.start.account.anotherKey, isStored: false },
  ];
  const option = options.find(({ value }) => value === chosen) ?? options[0];
  const isStored = option?.isStored === true;
  const hasKey = isStored || text !== '';
  const limit = readRequestLimit(requestText);
  const money = readCostLimit(costText);
  const unheld = money.ok ? unheldWords(money.value, gateway?.currencies ?? []) : money.error;
  const wrongName = nameProblem(name.trim(), others);
  const isReady = origin !== undefined && wrongName === undefined && unheld === undefined && limit.ok;

  /** Keeps a key that was entered; undefined if that was refused. */
  const keep = async (): Promise<{ readonly keyName?: string } | undefined> => {
    if (origin === undefined || option === undefined) return undefined;
    if (text === '') return placeOf(option.value);
    const place = option.value === ANOTHER ? { keyName: newKeyName(name, status, others) } : placeOf(option.value);
    const reply = await ask('key.set', { key: text, origin, ...present({ name: place.keyName }) });
    if (!reply.ok) return undefined;
    model.app.setState({ key: reply.value });
    setText('');
    setChosen(place.keyName ?? OF_GATEWAY);
    return place;
  };
  const save = async (): Promise<void> => {
    const place = await keep();
    if (place === undefined || !limit.ok || !money.ok) return;
    onDone({ name: name.trim(), profile, ...place, limit: present({ requests: limit.value, cost: money.value }) });
    onClose();
  };
  const test = async (): Promise<void> => {
    setReport(undefined);
    const place = await keep();
    const reply = place && (await ask('account.test', { profile, ...place }));
    if (reply?.ok === true) setReport(reply.value);
  };

  return (
    <Dialog
      title={account === undefined ? words.start.account.adding : words.start.account.editing}
      hint={words.start.account.about}
      refusal={refused.besides('key', 'gateway')}
      decline={words.common.cancel}
      actions={[
        {
          words: account === undefined ? words.common.add : words.common.save,
          look: 'primary',
          isDisabled: !isReady || !hasKey,
          onClick: () => run(save),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className={joinClasses(styles.fields, 'stack scroll')}>
        <TextField
          label={words.common.name}
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          problem={wrongName}
          hint={words.start.account.nameHint}
        />
        <Labelled
          label={words.start.gateway.title}
          hint={words.start.account.gatewayHint}
          refusal={refused.at('gateway')}
        >
          <Select
            label={words.start.gateway.title}
            value={profile}
            options={(settings?.gateways ?? [])
              .filter(({ baseUrl }) => baseUrl !== '')
              .map((one) => ({
                value: one.profile,
                words: words.start.account.profile(shownLine(one.profile), shownLine(one.baseUrl)),
              }))}
            onChoose={(one) => {
              setProfile(one);
              setChosen(undefined);
              setReport(undefined);
            }}
          />
        </Labelled>
        {options.length > 1 && (
          <Labelled label={words.start.account.whichKey}>
            <Select
              label={words.start.account.whichKey}
              value={option?.value ?? ANOTHER}
              options={options}
              onChoose={(one) => {
                setChosen(one);
                setText('');
                setReport(undefined);
              }}
            />
          </Labelled>
        )}
        {origin !== undefined && (
          <TextField
            label={words.start.account.keyFor(shownLine(origin))}
            type="password"
            placeholder={isStored ? words.start.account.stored : words.start.account.yourKey}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setReport(undefined);
            }}
            hint={words.start.account.keyHint}
            refusal={refused.at('key')}
          />
        )}
        {gateway !== undefined && isUnencrypted(gateway.baseUrl) && (
          <Callout isSlim level="error" title={words.start.account.unencrypted}>
            {words.start.account.unencryptedAbout}
          </Callout>
        )}
        <div className="row">
          <Button
            size="small"
            disabled={isBusy || origin === undefined || !hasKey}
            title={words.start.account.testHint}
            onClick={() => run(test)}
          >
            {text === '' ? words.start.account.test : words.start.account.storeAndTest}
          </Button>
        </div>
        {report !== undefined && <ConnectionFindings report={report} />}
        <div className={styles.pair}>
          <TextField
            label={words.start.requestLimit}
            inputMode="numeric"
            placeholder={words.start.noLimit}
            value={requestText}
            onChange={(event) => setRequests(event.target.value)}
            problem={limit.ok ? undefined : limit.error}
          />
          <MoneyField
            label={words.start.spendingLimit}
            value={costText}
            currencies={gateway?.currencies ?? []}
            onChange={setCost}
            problem={unheld}
          />
        </div>
        <p className="faint">{words.start.account.limitsAbout}</p>
      </div>
    </Dialog>
  );
}

function placeOf(value: string): { readonly keyName?: string } {
  return value === OF_GATEWAY ? {} : { keyName: value };
}

/** A gateway that no other account has yet, otherwise the first. */
function unusedProfile(
  gateways: readonly { readonly profile: string; readonly baseUrl: string }[] = [],
  others: readonly ChosenAccount[],
): string {
  const usable = gateways.filter(({ baseUrl }) => baseUrl !== '');
  const unused = usable.find(({ profile }) => others.every((other) => other.profile !== profile));
  return (unused ?? usable[0])?.profile ?? '';
}
