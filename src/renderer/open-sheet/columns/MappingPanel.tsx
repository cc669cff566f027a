import { CircleHelp } from 'lucide-react';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { useAppModel } from '../../state/app-context.ts';
import {
  confirmedMapping,
  correctionsOf,
  isToBeConfirmed,
  isWhole,
  openQuestions,
} from '../../state/opening/sheet-understanding.ts';
import { tourPlace } from '../../state/tour.ts';
import { ChoiceSettings, ListUse, VariableFields } from './CellSettings.tsx';
import { ColumnTable } from './ColumnTable.tsx';
import { CorrectionList } from './Corrections.tsx';
import { DefaultOperation } from './DefaultOperation.tsx';
import styles from './MappingPanel.module.css';

/**
 * How Nocturne understands the sheet's headers and cells, and where to correct that. Open if it asks something. For a
 * beginning it only shows the headers: they are mapped for the whole sheet.
 */
export function MappingPanel({ sheet }: { readonly sheet: SheetBeginning | SheetView }) {
  const model = useAppModel();
  const questions = openQuestions(sheet);
  const toConfirm = sheet.columns.filter(isToBeConfirmed).length;
  if (sheet.columns.length === 0) return null;
  return (
    <section className="card" aria-labelledby="meaning-title" inert={!isWhole(sheet)}>
      <Disclosure
        isOpenFirst={questions.length > 0 || sheet.isMappingKept}
        className={joinClasses(styles.content, 'stack')}
        head={
          <>
            <h2 id="meaning-title" {...tourPlace('rows')}>
              {words.sheet.mapping.title}
            </h2>
            <span className={joinClasses('grow faint cut', styles.summary)}>{summaryOf(sheet)}</span>
          </>
        }
        tools={
          <IconButton
            icon={CircleHelp}
            label={words.sheet.mapping.help}
            onClick={() => model.go({ kind: 'help', part: 'language' })}
          />
        }
      >
        {sheet.isMappingKept && (
          <Callout
            level="info"
            isSlim
            title={words.sheet.mapping.isKept}
            actions={
              <Button size="small" look="quiet" onClick={() => void model.bringIn.forgetMapping()}>
                {words.sheet.mapping.reset}
              </Button>
            }
          />
        )}
        <DefaultOperation sheet={sheet} />
        <ColumnTable sheet={sheet} />
        <CorrectionList sheet={sheet} />
        <div className={joinClasses('row', styles.buttons)}>
          {toConfirm > 0 && (
            <Button size="small" onClick={() => void model.bringIn.interpret({ mapping: confirmedMapping(sheet) })}>
              {words.sheet.mapping.confirm(toConfirm)}
            </Button>
          )}
          {!sheet.isMappingKept && hasSaid(sheet) && (
            <Button size="small" look="quiet" onClick={() => void model.bringIn.forgetMapping()}>
              {words.sheet.mapping.reset}
            </Button>
          )}
        </div>
        {isWhole(sheet) && (
          <>
            <VariableFields sheet={sheet} />
            <ChoiceSettings sheet={sheet} />
            <ListUse sheet={sheet} />
          </>
        )}
      </Disclosure>
    </section>
  );
}

/** The user has mapped some headers; Nocturne remembers this for the next sheet with the same ones. */
function hasSaid(sheet: SheetBeginning): boolean {
  const { columns, defaultOperation } = sheet;
  const isCorrected = correctionsOf(sheet).length > 0;
  return (
    isCorrected || defaultOperation !== undefined || columns.some(({ how }) => how === 'chosen' || how === 'ignored')
  );
}

function summaryOf({ columns, variables }: SheetBeginning): string {
  const toConfirm = columns.filter(isToBeConfirmed).length;
  const sent = columns.filter(({ column }) => column !== '').length;
  const unsent = columns.length - sent;
  const values = Object.values(variables);
  return [
    words.sheet.mapping.mapped(sent),
    ...(toConfirm > 0 ? [words.sheet.mapping.toConfirm(toConfirm)] : []),
    ...(unsent > 0 ? [words.sheet.mapping.unsent(unsent)] : []),
    ...(values.length > 0
      ? [words.sheet.mapping.variables(values.length, values.filter((value) => value !== '').length)]
      : []),
  ].join(' · ');
}
