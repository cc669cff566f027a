import { Check, CircleAlert } from 'lucide-react';
import { useState } from 'react';
import type { SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { Choices, TextField } from '../../design/Field.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { understandingOf } from '../../state/opening/sheet-understanding.ts';
import styles from './MappingPanel.module.css';

/** The names in braces that match no column, and their value for every row. */
export function VariableFields({ sheet }: { readonly sheet: SheetView }) {
  const names = Object.keys(sheet.variables);
  if (names.length === 0) return null;
  return (
    <fieldset className="stack">
      <legend className="name">{words.sheet.variables.title}</legend>
      <p className="soft">{words.sheet.variables.about}</p>
      <div className={styles.variables}>
        {names.map((name) => (
          <VariableField
            key={JSON.stringify([name, sheet.variables[name]])}
            sheet={sheet}
            name={name}
            value={sheet.variables[name] ?? ''}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface VariableFieldProps {
  readonly sheet: SheetView;
  readonly name: string;
  readonly value: string;
}

/** Applied when the field loses the focus or Enter is pressed: each change checks the whole sheet. */
function VariableField({ sheet, name, value }: VariableFieldProps) {
  const model = useAppModel();
  const [text, setText] = useState(value);
  const commit = (): void => {
    if (text === value) return;
    const { variables } = understandingOf(sheet);
    const { [name]: _, ...others } = variables;
    void model.bringIn.interpret({ variables: text === '' ? others : { ...others, [name]: text } });
  };
  return (
    <TextField
      label={`{${shownLine(name)}}`}
      value={text}
      placeholder={words.sheet.variables.asWritten}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

/** The lists that cells draw from, including missing ones. */
export function ListUse({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const { lists } = sheet;
  if (lists.length === 0) return null;
  const isMissing = lists.some(({ isThere }) => !isThere);
  return (
    <fieldset className="stack">
      <legend className="name">{words.sheet.lists.title}</legend>
      <ul>
        {lists.map(({ name, isThere }) => (
          <li key={name} className={styles.mark} data-open={!isThere}>
            {isThere ? (
              <Check size={14} strokeWidth={1.9} aria-hidden />
            ) : (
              <CircleAlert size={14} strokeWidth={1.9} aria-hidden />
            )}
            <code>{`__${shownLine(name)}__`}</code>
            {!isThere && words.sheet.lists.missing}
          </li>
        ))}
      </ul>
      <div>
        <Button
          size="small"
          look={isMissing ? 'secondary' : 'quiet'}
          onClick={() => model.go({ kind: 'settings', part: 'lists' })}
        >
          {words.sheet.lists.open}
        </Button>
      </div>
    </fieldset>
  );
}

/** What `{red|green|blue}` does: draw one for each row, or make every one a row of its own. */
export function ChoiceSettings({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const { choiceCells, choices, rowCount, expandedRows } = sheet;
  if (choiceCells === 0) return null;
  return (
    <fieldset className="stack">
      <legend className="name">{words.sheet.choices.title}</legend>
      <p className="soft">{words.sheet.choices.about(choiceCells)}</p>
      <Choices
        label={words.sheet.choices.title}
        value={choices}
        onChoose={(chosen) => void model.bringIn.interpret({ choices: chosen })}
        options={[
          { value: 'draw', title: words.sheet.choices.draw, text: words.sheet.choices.drawHelp },
          {
            value: 'expand',
            title: words.sheet.choices.expand,
            text:
              choices === 'expand'
                ? words.sheet.choices.expanded(rowCount)
                : words.sheet.choices.wouldExpand(expandedRows, rowCount),
          },
        ]}
      />
    </fieldset>
  );
}
