import { useId, useState, type ReactNode } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { words } from '../../../shared/words/words.ts';
import { Labelled } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { useApp } from '../../state/app-context.ts';
import { splitMoney } from '../../state/opening/start-forms.ts';
import styles from './StartPanel.module.css';

interface MoneyFieldProps {
  readonly label: string;
  /** With its currency, such as `12.50 EUR`. */
  readonly value: string;
  readonly problem: string | undefined;
  readonly hint?: ReactNode;
  /** The currencies that the limit can be in; by default those of the settings' gateway. */
  readonly currencies?: readonly string[];
  readonly onChange: (value: string) => void;
}

/**
 * A limit in money: an amount, and one of the currencies that prices are in. If there are none, the currency is typed,
 * too.
 */
export function MoneyField({ label, value, problem, hint, currencies, onChange }: MoneyFieldProps) {
  const id = useId();
  const ofSettings = useApp((state) => state.settings?.currencies) ?? [];
  const ofPrices = currencies ?? ofSettings;
  const typed = splitMoney(value);
  const [chosen, choose] = useState<string>();
  const currency = typed.currency ?? chosen ?? ofPrices[0];
  const known = [...new Set([...ofPrices, ...(typed.currency === undefined ? [] : [typed.currency])])];
  const join = (amount: string, of: string | undefined): string => {
    const isWhole = splitMoney(amount).currency !== undefined || amount.trim() === '' || of === undefined;
    return isWhole ? amount : `${amount} ${of}`;
  };
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem}>
      <div className="row">
        <input
          id={id}
          className={joinClasses('input grow', styles.amount)}
          autoComplete="off"
          spellCheck={false}
          inputMode={currency === undefined ? 'text' : 'decimal'}
          placeholder={words.start.noLimit}
          value={typed.amount}
          aria-invalid={problem !== undefined}
          aria-describedby={(problem ?? hint) === undefined ? undefined : `${id}-note`}
          onChange={(event) => onChange(join(event.target.value, currency))}
        />
        {currency !== undefined && (
          <Select
            label={words.start.currencyOf(label)}
            value={currency}
            options={known.map((one) => ({ value: one, words: one }))}
            onChoose={(one) => {
              choose(one);
              onChange(join(typed.amount, one));
            }}
          />
        )}
      </div>
    </Labelled>
  );
}
