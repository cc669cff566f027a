import { ArrowLeft, FilePlus } from 'lucide-react';
import { findOperation } from '../../shared/domain/operations/operations.ts';
import { EMPTY_TEMPLATE, TEMPLATES, type SheetTemplate } from '../../shared/domain/operations/templates.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { SearchSelect } from '../design/Select.tsx';
import { countOf } from '../format/numbers.ts';
import { useAppModel } from '../state/app-context.ts';
import panel from './RehearsePanel.module.css';
import styles from './TemplatePanel.module.css';

/** Templates as cards: what each makes, and how many paid requests that is. */
export function TemplatePanel() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const begin = ({ name, title }: SheetTemplate): void => run(() => model.bringIn.begin(name, title));
  return (
    <section className={panel.panel} aria-labelledby="templates-title">
      <div className={panel.head}>
        <h1 id="templates-title" className={panel.title}>
          Templates
        </h1>
        <Button
          look="quiet"
          size="small"
          icon={ArrowLeft}
          onClick={() => model.go({ kind: 'welcome', page: 'choice' })}
        >
          Back
        </Button>
      </div>
      <p className={styles.text}>
        A template opens in the grid, where you can change it. Nothing is sent until you start it.
      </p>
      <Cards title="Chains: rows that wait for each other" kind="chain" isBusy={isBusy} onChoose={begin} />
      <Cards title="An example of each operation" kind="operation" isBusy={isBusy} onChoose={begin} />
      <div className={styles.empty}>
        <Button
          icon={FilePlus}
          disabled={isBusy}
          onClick={() => run(() => model.bringIn.begin(EMPTY_TEMPLATE, 'New sheet'))}
        >
          Empty sheet
        </Button>
        <span>or one with the columns of</span>
        <div className={styles.select}>
          <SearchSelect
            label="An empty sheet with the columns of"
            value=""
            groupsFor={emptySheets}
            isDisabled={isBusy}
            onChoose={(name) => {
              const template = TEMPLATES.find((known) => known.name === name);
              if (template !== undefined) begin(template);
            }}
          >
            an operation
          </SearchSelect>
        </div>
      </div>
    </section>
  );
}

interface CardsProps {
  readonly title: string;
  readonly kind: SheetTemplate['kind'];
  readonly isBusy: boolean;
  readonly onChoose: (template: SheetTemplate) => void;
}

function Cards({ title, kind, isBusy, onChoose }: CardsProps) {
  return (
    <>
      <h2 className={styles.subtitle}>{title}</h2>
      <div className={styles.cards}>
        {TEMPLATES.filter((template) => template.kind === kind).map((template) => (
          <button
            key={template.name}
            type="button"
            className={styles.card}
            disabled={isBusy}
            onClick={() => onChoose(template)}
          >
            <span className={styles.cardTitle}>
              {kind === 'operation' && <OutputIcon kind={findOperation(template.name)?.output ?? 'data'} />}
              {template.title}
            </span>
            <span className={styles.cardText}>{template.makes}</span>
            <span className={styles.cardSum}>
              {`${countOf(template.rows.length, 'row')} · ${countOf(template.submits, 'paid request')}`}
            </span>
          </button>
        ))}
      </div>
    </>
  );
}

function emptySheets(search: string) {
  const wanted = search.trim().toLowerCase();
  const found = TEMPLATES.filter(
    ({ kind, name, title, makes }) =>
      kind === 'empty' && name !== EMPTY_TEMPLATE && `${title} ${makes}`.toLowerCase().includes(wanted),
  );
  return [
    {
      title: 'Operations',
      options: found.map(({ name, title, makes }) => ({ value: name, label: title, help: makes })),
    },
  ];
}
