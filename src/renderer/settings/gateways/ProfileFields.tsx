import { ChevronDown, Plus, X } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { STATUS_MEANINGS } from '../../../shared/domain/gateway/profile.ts';
import type { ProfileProblem } from '../../../shared/domain/gateway/profile-problem.ts';
import { FAMILIES, FAMILY_NAMES, type Family } from '../../../shared/domain/operations/operations.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { TextArea, TextField } from '../../design/Field.tsx';
import { Menu, MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { Select } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { PRESET_TITLES, withPreset, type StatusPreset } from '../../state/profile-draft.ts';
import {
  defaultText,
  fieldText,
  isMeaning,
  MEANING_WORDS,
  problemAt,
  PROFILE_FIELDS,
  statusesOf,
  statusProblem,
  withField,
  withStatus,
  type ProfileField,
  type ProfileFieldGroup,
} from '../../state/profile-fields.ts';
import styles from './ProfileEditor.module.css';

interface ProfileFieldsProps {
  /** The profile's text, a JSON object. */
  readonly text: string;
  readonly problems: readonly ProfileProblem[];
  /** Called with the text after a change; undefined if the text cannot be changed. */
  readonly onChange: (text: string | undefined) => void;
}

/** The profile as fields, each with its help; what they do not show stays as it is. */
export function ProfileFields(props: ProfileFieldsProps) {
  const [limits, ...others] = PROFILE_FIELDS;
  return (
    <div className="stack">
      {limits !== undefined && <FieldGroup group={limits} {...props} />}
      <fieldset className={styles.group}>
        <legend>{words.settings.profile.statuses}</legend>
        <div className={styles.families}>
          {FAMILIES.map((family) => (
            <StatusTable key={family} family={family} {...props} />
          ))}
        </div>
      </fieldset>
      {others.map((group) => (
        <FieldGroup key={group.title} group={group} {...props} />
      ))}
    </div>
  );
}

function FieldGroup({ group, ...props }: ProfileFieldsProps & { readonly group: ProfileFieldGroup }) {
  return (
    <fieldset className={styles.group}>
      <legend>{group.title}</legend>
      <div className={styles.fields}>
        {group.fields.map((field) => (
          <Field key={field.path.join('.')} field={field} {...props} />
        ))}
      </div>
    </fieldset>
  );
}

function Field({ field, text, problems, onChange }: ProfileFieldsProps & { readonly field: ProfileField }) {
  const { label, hint, kind, path } = field;
  const problem = problemAt(problems, path);
  const shared = { label, value: fieldText(text, field), placeholder: defaultText(field) };
  return kind === 'lines' ? (
    <TextArea
      {...shared}
      hint={problem ?? hint}
      aria-invalid={problem !== undefined}
      rows={3}
      onChange={(event) => onChange(withField(text, field, event.target.value))}
    />
  ) : (
    <TextField
      {...shared}
      hint={hint}
      problem={problem}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      onChange={(event) => onChange(withField(text, field, event.target.value))}
    />
  );
}

const MEANINGS = STATUS_MEANINGS.map((value) => ({ value, words: MEANING_WORDS[value] }));
const PRESETS = Object.keys(PRESET_TITLES) as readonly StatusPreset[];

/** What each status of a family means, with an empty line for another. */
function StatusTable({ family, text, problems, onChange }: ProfileFieldsProps & { readonly family: Family }) {
  const [typed, setTyped] = useState('');
  const statuses = statusesOf(text, family);
  const name = FAMILY_NAMES[family];
  const named = typed.trim();
  const newProblem = statusProblem(
    named,
    statuses.some(([status]) => status === named),
  );
  const cannotAdd = named === '' || newProblem !== undefined;
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (cannotAdd) return;
    onChange(withStatus(text, family, named, 'running'));
    setTyped('');
  };
  const problem = problemAt(problems, ['status', family]);
  return (
    <section className="stack" aria-label={words.settings.profile.statusesOf(name)}>
      <div className="row wrap">
        <h3 className="grow">{name}</h3>
        <Menu
          align="end"
          button={
            <Button size="small" look="quiet" aria-label={words.settings.profile.presetFor(name)}>
              {words.settings.profile.preset}
              <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
            </Button>
          }
        >
          <MenuGroup title={words.settings.profile.replacesTable}>
            {PRESETS.map((preset) => (
              <MenuItem key={preset} onSelect={() => onChange(withPreset(text, family, preset))}>
                {PRESET_TITLES[preset]}
              </MenuItem>
            ))}
          </MenuGroup>
        </Menu>
      </div>
      {statuses.length === 0 && <p className="faint">{words.settings.profile.noTable}</p>}
      {statuses.map(([status, means]) => (
        <div key={status} className={styles.status}>
          <code className="cut" title={shownLine(status)}>
            {shownLine(status)}
          </code>
          <Select
            label={words.settings.profile.meaningOf(shownLine(status), name)}
            value={means}
            unchosen={shownLine(means)}
            options={MEANINGS}
            onChoose={(chosen) => isMeaning(chosen) && onChange(withStatus(text, family, status, chosen))}
          />
          <IconButton
            icon={X}
            label={words.settings.profile.removeStatus(shownLine(status), name)}
            onClick={() => onChange(withStatus(text, family, status, undefined))}
          />
        </div>
      ))}
      {problem !== undefined && <p className="wrong">{problem}</p>}
      <form className={styles.newStatus} onSubmit={add}>
        <TextField
          label={words.settings.profile.newStatus(name)}
          placeholder="2"
          value={typed}
          maxLength={200}
          problem={newProblem}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button size="small" type="submit" icon={Plus} disabled={cannotAdd}>
          {words.common.add}
        </Button>
      </form>
    </section>
  );
}
