import { useEffect, useRef, useState } from 'react';
import { GATE_CODES, GATES, type GateCode } from '../../../shared/domain/gates/gates.ts';
import { USUAL_GATES } from '../../../shared/domain/gates/gate-settings.ts';
import type { GatePreviewView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Choices, TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { gateProblem, readTimesAgain, readGates, type GateAnswers } from '../../state/opening/gate-answers.ts';
import styles from './GateFields.module.css';

interface GateFieldsProps {
  readonly answers: GateAnswers;
  readonly onChange: (answers: GateAnswers) => void;
  /** The most that rendering again may cost, if that is known. */
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
        label={words.start.gates.title}
        value={which}
        onChoose={(chosen) => change({ which: chosen })}
        options={[
          { value: 'off', title: words.start.gates.off, text: words.start.gates.offAbout },
          { value: 'usual', title: words.start.gates.usual, text: words.start.gates.usualAbout },
          { value: 'chosen', title: words.start.gates.chosen, text: words.start.gates.chosenAbout },
        ]}
      />
      {which === 'chosen' && <ChosenGates values={answers.values} onChange={(values) => change({ values })} />}
      {which !== 'off' && (
        <TextField
          label={words.start.gates.again}
          inputMode="numeric"
          placeholder={words.start.gates.never}
          value={againText}
          onChange={(event) => change({ againText: event.target.value })}
          problem={again.ok ? undefined : again.error}
          hint={againHint ?? words.start.gates.againHint}
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
          <li key={code} className={styles.gate} title={words.start.gates.flagsIf(rule)}>
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
                  aria-label={words.start.gates.valueOf(title)}
                  aria-invalid={problem !== undefined}
                  inputMode="decimal"
                  value={text}
                  onChange={(event) => onChange({ ...values, [code]: event.target.value })}
                />
                <span className={styles.unit}>{words.start.gates.unit(unit.trim())}</span>
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

/** Says what these gates would say about the files of a batch; none of it is kept. */
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
  // A user who leaves does not wait for it any more, and it may take hours.
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
        {isBusy ? words.start.gates.looking : words.start.gates.tryOn(shownLine(batch.name))}
      </Button>
      {seen?.asked === asked && <Seen preview={seen.preview} />}
    </div>
  );
}

function Seen({ preview: { files, flagged, named, unchecked } }: { readonly preview: GatePreviewView }) {
  return (
    <>
      <p className="soft" data-testid="gates-would">
        {words.common.sentences([
          words.start.gates.wouldFlag(flagged, files),
          ...unchecked.map(({ files: count, why }) => words.start.gates.unchecked(count, why)),
        ])}
      </p>
      {named.length > 0 && (
        <ul className={styles.found}>
          {named.map(({ row, path, flags }) => (
            <li key={path}>
              <strong>{shownLine(row)}</strong> <span className="faint">{shownLine(path)}</span>{' '}
              {words.common.sentences(
                flags.map(({ gate, message }) => words.start.gates.flag(GATES[gate].title, message)),
              )}
            </li>
          ))}
        </ul>
      )}
      {flagged > named.length && <p className="faint">{words.start.gates.moreFiles(flagged - named.length)}</p>}
    </>
  );
}
