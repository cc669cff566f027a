import { FilePlus } from 'lucide-react';
import { findOperation } from '../../shared/domain/operations/operations.ts';
import { EMPTY_TEMPLATE, TEMPLATES, type SheetTemplate } from '../../shared/domain/operations/templates.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { SearchSelect } from '../design/Select.tsx';
import { countOf } from '../../shared/domain/base/text.ts';
import { useAppModel } from '../state/app-context.ts';
import { Tile, TileGrid, WelcomePanel } from './Tile.tsx';
import styles from './TemplatePanel.module.css';

/** Templates as cards: what each makes, and how many paid requests it needs. */
export function TemplatePanel() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const begin = ({ name, title }: SheetTemplate): void => run(() => model.bringIn.begin(name, title));
  return (
    <WelcomePanel title="Templates" isFirst>
      <p className="soft">A template opens in the grid, where you can change it. Nothing is sent until you start it.</p>
      <Cards title="Chains: rows that wait for each other" kind="chain" isBusy={isBusy} onChoose={begin} />
      <Cards title="An example of each operation" kind="operation" isBusy={isBusy} onChoose={begin} />
      <div className="row wrap soft">
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
    </WelcomePanel>
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
      <h2>{title}</h2>
      <TileGrid columns={3}>
        {TEMPLATES.filter((template) => template.kind === kind).map((template) => (
          <Tile
            key={template.name}
            title={
              <>
                {kind === 'operation' && <OutputIcon kind={findOperation(template.name)?.output ?? 'data'} />}
                {template.title}
              </>
            }
            sum={`${countOf(template.rows.length, 'row')} · ${countOf(template.submits, 'paid request')}`}
            isDisabled={isBusy}
            onClick={() => onChoose(template)}
          >
            {template.makes}
          </Tile>
        ))}
      </TileGrid>
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
