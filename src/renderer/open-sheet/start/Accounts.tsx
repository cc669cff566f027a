import { EllipsisVertical, Pencil, Plus, Trash2, ArrowDown, ArrowUp } from 'lucide-react';
import { useId, useState } from 'react';
import type { AccountsChoice, ChosenAccount } from '../../../shared/ipc/accounts.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { AccountBalance } from '../../batch/head/Balance.tsx';
import { Button, IconButton } from '../../design/Button.tsx';
import { Labelled } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Menu, MenuItem } from '../../design/Menu.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useApp } from '../../state/app-context.ts';
import {
  accountWords,
  firstAccount,
  leadsThere,
  placed,
  withAccount,
  withoutAccount,
} from '../../state/account-choices.ts';
import { AccountDialog } from './AccountDialog.tsx';
import styles from './Accounts.module.css';

interface AccountsProps {
  /** Undefined: only one account, the settings' gateway with its key. */
  readonly accounts: AccountsChoice | undefined;
  /** The accounts that the batch has now, while they are left as they are. */
  readonly own?: BatchView['accounts'];
  /** Why the batch was not started with them. */
  readonly refusal?: string | undefined;
  readonly onChange: (accounts: AccountsChoice | undefined) => void;
}

/** The accounts that the rows go to, in the user's order, and more of them. */
export function Accounts({ accounts, own, refusal, onChange }: AccountsProps) {
  const note = useId();
  return (
    <Labelled
      label={words.start.accounts.title}
      noteId={note}
      hint={accounts === undefined ? words.start.accounts.one : words.start.accounts.several}
      refusal={refusal}
    >
      {accounts !== undefined && <AccountList accounts={accounts} own={own} note={note} onChange={onChange} />}
      <AddAccount accounts={accounts} onChange={onChange} />
      {accounts !== undefined && <CheapestFirst accounts={accounts} onChange={onChange} />}
    </Labelled>
  );
}

type SeveralProps = AccountsProps & { readonly accounts: AccountsChoice };

function AccountList({ accounts, own, note, onChange }: SeveralProps & { readonly note: string }) {
  const settings = useApp((state) => state.settings);
  const key = useApp((state) => state.key);
  const [edited, setEdited] = useState<ChosenAccount>();
  const { list } = accounts;
  return (
    <>
      <ol className="card" aria-label={words.start.accounts.title} aria-describedby={note} data-testid="accounts">
        {list.map((account, at) => (
          <li key={account.name} className={joinClasses('row', styles.account)}>
            <div className="grow">
              <p className="name cut">{shownLine(account.name)}</p>
              <p className="faint">{accountWords(account, settings, key, gatewayIn(own, account))}</p>
              {leadsThere(account, settings, gatewayIn(own, account)) && (
                <AccountBalance profile={account.profile} keyName={account.keyName} />
              )}
            </div>
            <Menu
              align="end"
              button={<IconButton icon={EllipsisVertical} label={words.start.accounts.of(shownLine(account.name))} />}
            >
              <MenuItem icon={Pencil} onSelect={() => setEdited(account)}>
                {words.start.accounts.edit}
              </MenuItem>
              <MenuItem
                icon={ArrowUp}
                isDisabled={at === 0}
                onSelect={() => onChange({ ...accounts, list: placed(list, at, at - 1) })}
              >
                {words.start.accounts.moveUp}
              </MenuItem>
              <MenuItem
                icon={ArrowDown}
                isDisabled={at === list.length - 1}
                onSelect={() => onChange({ ...accounts, list: placed(list, at, at + 1) })}
              >
                {words.start.accounts.moveDown}
              </MenuItem>
              <MenuItem icon={Trash2} onSelect={() => onChange(withoutAccount(accounts, account.name))}>
                {words.common.remove}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ol>
      {edited !== undefined && (
        <AccountDialog
          account={edited}
          others={list.filter((one) => one !== edited)}
          onDone={(account) => onChange(withAccount(accounts, account, edited.name))}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

/** Where the account leads, if it is unchanged in the batch. */
function gatewayIn(own: BatchView['accounts'], { name, profile }: ChosenAccount): string | undefined {
  return own?.find((one) => one.name === name && one.profile === profile)?.gateway;
}

function CheapestFirst({ accounts: { list, isCheapestFirst }, onChange }: SeveralProps) {
  return (
    <label className="row">
      <input
        type="checkbox"
        checked={isCheapestFirst === true}
        onChange={({ target }) => onChange({ list, ...(target.checked ? { isCheapestFirst: true as const } : {}) })}
      />
      {words.start.accounts.cheapestFirst}
    </label>
  );
}

/** Has the rows shared with another account. */
function AddAccount({ accounts, onChange }: AccountsProps) {
  const profileName = useApp((state) => state.settings?.profileName ?? '');
  const [isOpen, setOpen] = useState(false);
  const before = accounts ?? { list: [firstAccount(profileName)] };
  return (
    <>
      <div className="row">
        <Button size="small" look="quiet" icon={Plus} onClick={() => setOpen(true)}>
          {words.start.accounts.add}
        </Button>
      </div>
      {isOpen && (
        <AccountDialog
          account={undefined}
          others={before.list}
          onDone={(account) => onChange(withAccount(before, account))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
