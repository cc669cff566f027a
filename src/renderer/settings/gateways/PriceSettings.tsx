import { useMemo, type FormEvent } from 'react';
import { useStore } from 'zustand';
import { OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { TextField } from '../../design/Field.tsx';
import { useAppModel, useTyped } from '../../state/app-context.ts';
import { GATEWAY_FORMS } from '../../state/profile-draft.ts';
import { priceTexts, readPrice, withPrices, type PriceTexts } from '../../state/profile-prices.ts';
import styles from './PriceSettings.module.css';

/** What a paid request of each operation costs at a gateway. */
export function PriceSettings({ gateway }: { readonly gateway: string }) {
  const model = useAppModel();
  // The editor of the profile, a part of the same screen, reads it whenever it may have changed.
  const kept = useStore(model.profileDrafts.store, (drafts) => drafts[gateway]?.kept);
  return kept === undefined ? null : <PriceForm gateway={gateway} kept={kept} />;
}

interface PriceFormProps {
  readonly gateway: string;
  /** The text of its profile as it is saved. */
  readonly kept: string;
}

function PriceForm({ gateway, kept }: PriceFormProps) {
  const model = useAppModel();
  const [typed, type, saved] = useTyped(GATEWAY_FORMS.prices(gateway));
  const [isBusy, run] = useBusy();
  const before = useMemo(() => priceTexts(kept), [kept]);
  const texts: PriceTexts = { ...before, ...typed };
  const fields = OPERATIONS.map(({ path, title }) => {
    const others = OPERATIONS.flatMap((one) => (one.path === path ? [] : (texts[one.path] ?? '')));
    return { path, title, text: texts[path] ?? '', price: readPrice(texts[path] ?? '', others) };
  });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    run(async () => {
      const changed = new Map(
        fields.flatMap(({ path, price }) => (path in typed && price.ok ? [[path, price.value]] : [])),
      );
      // Other parts of the profile may have been saved since it was read here.
      const profile = await model.ask('profile.get', { profile: gateway });
      const text = profile.ok ? withPrices(profile.value.text, changed) : undefined;
      const reply = text === undefined ? undefined : await model.ask('profile.set', { profile: gateway, text });
      if (reply?.ok !== true || reply.value === undefined) return;
      saved(typed);
      model.app.setState({ settings: reply.value.settings });
    });
  };
  return (
    <form className="stack" onSubmit={save}>
      <div className={styles.prices}>
        {fields.map(({ path, title, text, price }) => (
          <TextField
            key={path}
            label={title}
            placeholder={words.settings.prices.unknown}
            value={text}
            onChange={(event) => type({ [path]: event.target.value })}
            problem={price.ok ? undefined : price.error}
          />
        ))}
      </div>
      <div className="row">
        <Button
          type="submit"
          disabled={isBusy || fields.some(({ price }) => !price.ok) || Object.keys(typed).length === 0}
        >
          {words.settings.prices.save}
        </Button>
      </div>
    </form>
  );
}
