import { useState } from 'react';
import type { SheetView } from '../../../shared/ipc/views.ts';
import { TextField } from '../../design/Field.tsx';
import { visibleLine } from '../../format/visible-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { understandingOf } from '../../state/sheet-understanding.ts';
import styles from '../columns/MappingPanel.module.css';

/** The names in braces that no column has, and what stands for them in every row. */
export function VariableFields({ sheet }: { readonly sheet: SheetView }) {
  const names = Object.keys(sheet.variables);
  if (names.length === 0) return null;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Variables</legend>
      <p className={styles.settingText}>
        Names in braces that match no column. The value you enter is used in every row.
      </p>
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

/** Taken over when the field is left or Enter is pressed: each change checks the whole sheet. */
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
      label={`{${visibleLine(name)}}`}
      value={text}
      placeholder="Sent as written"
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
