import { FilePlus } from 'lucide-react';
import { findOperation } from '../../shared/domain/operations/operations.ts';
import { EMPTY_TEMPLATE, TEMPLATES, type SheetTemplate } from '../../shared/domain/operations/templates.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { SearchSelect } from '../design/Select.tsx';
import { useAppModel } from '../state/app-context.ts';
import { Tile, TileGrid, WelcomePanel } from './Tile.tsx';
import styles from './TemplatePanel.module.css';

/** Templates as cards: what each makes, and how many paid requests it needs. */
export function TemplatePanel() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const begin = ({ name, title }: SheetTemplate): void => run(() => model.newBatches.begin(name, title));
  return (
    <WelcomePanel title={words.home.templates.title} isFirst>
      <p className="soft">{words.home.templates.about}</p>
      <Cards title={words.home.templates.chains} kind="chain" isBusy={isBusy} onChoose={begin} />
      <Cards title={words.home.templates.examples} kind="operation" isBusy={isBusy} onChoose={begin} />
      <div className="row wrap soft">
        <Button
          icon={FilePlus}
          disabled={isBusy}
          onClick={() => run(() => model.newBatches.begin(EMPTY_TEMPLATE, words.home.begin.newSheet))}
        >
          {words.home.begin.empty}
        </Button>
        <span>{words.home.templates.orColumnsOf}</span>
        <div className={styles.select}>
          <SearchSelect
            label={words.home.templates.columnsOf}
            value=""
            groupsFor={emptySheets}
            isDisabled={isBusy}
            onChoose={(name) => {
              const template = TEMPLATES.find((known) => known.name === name);
              if (template !== undefined) begin(template);
            }}
          >
            {words.home.templates.anOperation}
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
            sum={`${words.common.rows(template.rows.length)} · ${words.common.paidRequests(template.submits)}`}
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
      title: words.home.templates.operations,
      options: found.map(({ name, title, makes }) => ({ value: name, label: title, help: makes })),
    },
  ];
}
