import { useEffect, useRef, useState } from 'react';
import { countOf } from '../../../shared/domain/base/text.ts';
import { GATE_CODES, GATES, type GateCode } from '../../../shared/domain/gates/gates.ts';
import { USUAL_GATES } from '../../../shared/domain/gates/gate-settings.ts';
import type { GatePreviewView } from '../../../shared/ipc/batches.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Choices, TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { gateProblem, readTimesAgain, readGates, type GateAnswers } from '../../state/gate-answers.ts';
import styles from './GateFields.module.css';

interface GateFieldsProps {
  readonly answers: GateAnswers;
  readonly onChange: (answers: GateAnswers) => void;
  /** What rendering again may cost at most, where that is known. */
  readonly againHint?: string | undefined;
  /** The batch on whose files the gates can be tried; undefined while none has any. */
  readonly tried: { readonly id: string; readonly name: string } | undefined;
}

/** What looks at each file, from which values on it flags one, and whether a flagged file is rendered again. */
export function GateFields({ answers, onChange, againHint, tried }: GateFieldsProps) {
  const change = (changed: Partial<GateAnswers>): void => onChange({ ...answers, ...changed });
  const { which, againText } = answers;
  const again = readTimesAgain(againText);
  return (
    <>
      <Choices
        label="Gates"
        value={which}
        onChoose={(chosen) => change({ which: chosen })}
        options={[
          { value: 'off', title: 'Off', text: 'Nobody looks at the files.' },
          { value: 'usual', title: 'Usual', text: 'Black, silent, too short and the like is flagged.' },
          { value: 'chosen', title: 'Chosen', text: 'These gates, with these values.' },
        ]}
      />
      {which === 'chosen' && <ChosenGates values={answers.values} onChange={(values) => change({ values })} />}
      {which !== 'off' && (
        <TextField
          label="Render a flagged file again, at most so many times"
          inputMode="numeric"
          placeholder="Never"
          value={againText}
          onChange={(event) => change({ againText: event.target.value })}
          problem={again.ok ? undefined : again.error}
          hint={againHint ?? 'Each time is one more paid request, within all limits. The flagged file stays.'}
        />
      )}
      {which !== 'off' && tried !== undefined && <TryOn answers={answers} batch={tried} />}
    </>
  );
}

interface ChosenGatesProps {
  readonly values: GateAnswers['values'];
  readonly onChange: (values: GateAnswers['values']) => void;
}

function ChosenGates({ values, onChange }: ChosenGatesProps) {
  const toggle = (code: GateCode, isOn: boolean): void => {
    const { [code]: _, ...others } = values;
    onChange(isOn ? { ...others, [code]: String(USUAL_GATES.on[code]) } : others);
  };
  return (
    <ul className={styles.gates}>
      {GATE_CODES.map((code) => {
        const { title, unit, rule } = GATES[code];
        const text = values[code];
        const problem = text === undefined ? undefined : gateProblem(code, text);
        return (
          <li key={code} className={styles.gate} title={`It flags a file if ${rule}.`}>
            <label className="row grow">
              <input
                type="checkbox"
                checked={text !== undefined}
                onChange={(event) => toggle(code, event.target.checked)}
              />
              {title}
            </label>
            {text !== undefined && (
              <label className="row faint">
                <input
                  className={joinClasses('input', styles.value)}
                  aria-label={`${title}: its value`}
                  aria-invalid={problem !== undefined}
                  inputMode="decimal"
                  value={text}
                  onChange={(event) => onChange({ ...values, [code]: event.target.value })}
                />
                <span className={styles.unit}>{unit.trim()}</span>
              </label>
            )}
            {problem !== undefined && <p className="wrong">{problem}</p>}
          </li>
        );
      })}
    </ul>
  );
}

interface TryOnProps {
  readonly answers: GateAnswers;
  readonly batch: { readonly id: string; readonly name: string };
}

/** Says what these gates would say of the files of a batch; nothing of it is kept. */
function TryOn({ answers, batch }: TryOnProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const [seen, setSeen] = useState<{ readonly asked: string; readonly preview: GatePreviewView }>();
  const gates = readGates(answers);
  const asked = JSON.stringify(gates.ok ? gates.value?.on : undefined);
  const look = async (): Promise<void> => {
    if (!gates.ok || gates.value === undefined) return;
    const reply = await model.ask('gates.preview', { batchId: batch.id, gates: gates.value });
    if (reply.ok) setSeen({ asked, preview: reply.value });
  };
  // Who leaves does not wait for it any more, and it may take hours.
  useEffect(
    () => () => void model.client.request('gates.preview', { batchId: batch.id, gates: { on: {} } }),
    [model, batch.id],
  );
  const end = useRef<HTMLDivElement>(null);
  // It is the last of a long list of fields.
  useEffect(() => {
    if (seen !== undefined) end.current?.scrollIntoView({ block: 'end' });
  }, [seen]);
  return (
    <div className="stack" aria-live="polite" ref={end}>
      <Button size="small" disabled={isBusy || !gates.ok} onClick={() => run(look)}>
        {isBusy ? 'Looking…' : `Try on the files of “${shownLine(batch.name)}”`}
      </Button>
      {seen?.asked === asked && <Seen preview={seen.preview} />}
    </div>
  );
}

function Seen({ preview: { files, flagged, named, unchecked } }: { readonly preview: GatePreviewView }) {
  return (
    <>
      <p className="soft" data-testid="gates-would">
        {`${countOf(flagged, 'file')} of ${files} would be flagged.`}
        {unchecked.map(({ files: count, why }) => ` ${countOf(count, 'file')} ${why}.`).join('')}
      </p>
      {named.length > 0 && (
        <ul className={styles.found}>
          {named.map(({ row, path, flags }) => (
            <li key={path}>
              <strong>{shownLine(row)}</strong> <span className="faint">{shownLine(path)}</span>{' '}
              {flags.map(({ gate, message }) => `${GATES[gate].title}: ${message}`).join(' ')}
            </li>
          ))}
        </ul>
      )}
      {flagged > named.length && <p className="faint">{`And ${countOf(flagged - named.length, 'more file')}.`}</p>}
    </>
  );
}
