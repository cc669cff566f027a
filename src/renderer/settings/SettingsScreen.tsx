import type { ReactNode } from 'react';
import type { KeyPlace } from '../../shared/ipc/app.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Labelled } from '../design/Field.tsx';
import { Page, type PagePart, PageParts, Phrase } from '../design/Page.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { SETTINGS_PARTS, type SettingsPart } from '../state/app-state.ts';
import { words } from '../../shared/words/words.ts';
import { LANGUAGE_CHOICES, LANGUAGE_NAMES } from '../../shared/words/domain-words.ts';
import { Select } from '../design/Select.tsx';
import { AfterNightChoice } from '../shell/AfterNight.tsx';
import { ThemeSwitch } from '../shell/theme.tsx';
import { About } from './program/About.tsx';
import { FolderButtons } from '../help/Support.tsx';
import { GatewayList } from './gateways/GatewayList.tsx';
import { ListSettings } from './ListSettings.tsx';
import { KeyList, keyWords, useOtherKeys } from './gateways/Keys.tsx';
import { SpendingSettings } from './SpendingSettings.tsx';
import { StoreSettings } from '../store/StoreSettings.tsx';
import { UpdateSettings } from './program/UpdateSettings.tsx';
import { TellingSettings } from './TellingSettings.tsx';

interface SettingsScreenProps {
  readonly part: string | undefined;
  /** The key that a batch waits for. */
  readonly keyFor: KeyPlace | undefined;
}

/** Everything that is set for the whole application, part by part. */
export function SettingsScreen({ part, keyFor }: SettingsScreenProps) {
  const otherKeys = useOtherKeys();
  const parts: readonly PagePart[] = [
    { ...named('gateways'), text: words.settings.about.gateways, content: <GatewayList /> },
    ...(otherKeys.length > 0 || keyFor !== undefined
      ? [
          {
            id: 'keys',
            title: words.settings.otherKeys,
            text: words.settings.about.keys,
            content: <KeyList key={keyFor && keyWords(keyFor)} keys={otherKeys} asked={keyFor} />,
          },
        ]
      : []),
    { ...named('night'), content: <NightSettings /> },
    { ...named('notifications'), text: words.settings.about.notifications, content: <TellingSettings /> },
    { ...named('spending'), text: words.settings.about.spending, content: <SpendingSettings /> },
    { ...named('appearance'), content: <Appearance /> },
    { ...named('lists'), text: <Phrase of={words.settings.about.lists(code)} />, content: <ListSettings /> },
    { ...named('store'), text: words.settings.about.store, content: <StoreSettings /> },
    { ...named('data'), content: <YourData /> },
    { ...named('updates'), content: <UpdateSettings /> },
    { ...named('about'), content: <About /> },
  ];
  return (
    <Page title={words.settings.title} testId="settings-screen">
      <PageParts label={words.settings.parts} parts={parts} first={part} />
    </Page>
  );
}

/** What Nocturne does with this computer while a night goes on, and after it. */
function NightSettings() {
  const model = useAppModel();
  const presence = useApp((state) => state.presence);
  if (presence === undefined) return null;
  const set = async (change: RouteInput<'presence.set'>): Promise<void> => {
    const reply = await model.ask('presence.set', change);
    if (reply.ok) model.app.setState({ presence: reply.value });
  };
  return (
    <div className="stack">
      <label className="row">
        <input
          type="checkbox"
          checked={presence.keepAwake}
          onChange={(event) => void set({ keepAwake: event.target.checked })}
        />
        {words.settings.night.keepAwake}
      </label>
      {!presence.keepAwake && <p className="faint">{words.settings.night.fallsAsleep}</p>}
      <label className="row">
        <input
          type="checkbox"
          checked={presence.atLogin}
          onChange={(event) => void set({ atLogin: event.target.checked })}
        />
        {words.settings.night.atLogin}
      </label>
      <AfterNightChoice />
    </div>
  );
}

function Appearance() {
  return (
    <div className="row wrap">
      <Labelled label={words.settings.theme}>
        <ThemeSwitch isWide />
      </Labelled>
      <Labelled label={words.settings.language}>
        <LanguageChoice />
      </Labelled>
    </div>
  );
}

const LANGUAGES = LANGUAGE_CHOICES.map((value) => ({
  value,
  words: value === 'system' ? words.settings.systemLanguage : LANGUAGE_NAMES[value],
}));

/** The language of the program. A change reloads the window: its page keeps one language as long as it lives. */
function LanguageChoice() {
  const model = useAppModel();
  const chosen = useApp((state) => state.settings?.language ?? 'system');
  const choose = async (value: string): Promise<void> => {
    const language = LANGUAGE_CHOICES.find((choice) => choice === value);
    const reply = await model.ask('settings.update', { language });
    if (reply.ok) model.app.setState({ settings: reply.value });
  };
  return (
    <Select
      label={words.settings.language}
      value={chosen}
      options={LANGUAGES}
      onChoose={(value) => void choose(value)}
    />
  );
}

function code(text: string): ReactNode {
  return <code>{text}</code>;
}

function named(id: SettingsPart): Pick<PagePart, 'id' | 'title'> {
  return { id, title: SETTINGS_PARTS[id] };
}

/** A copy of the store, and the log. */
function YourData() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <div className="stack">
      <p className="soft">{words.settings.about.data}</p>
      <div className="row wrap">
        <FolderButtons />
        <Button look="quiet" disabled={isBusy} onClick={() => run(() => model.restoreBackup())}>
          {words.settings.restoreBackup}
        </Button>
        <Button disabled={isBusy} onClick={() => run(() => model.backUpStore())}>
          {words.settings.backUp}
        </Button>
      </div>
    </div>
  );
}
