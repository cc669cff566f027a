import { NIGHT_WORDS } from '../../shared/domain/task/night.ts';
import type { KeyPlace } from '../../shared/ipc/app.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Page, type PagePart, PageParts } from '../design/Page.tsx';
import { useApp, useAppModel } from '../state/app-context.ts';
import { SETTINGS_PARTS, type SettingsPart } from '../state/app-state.ts';
import { LANGUAGE_NAMES, languageChoice, words } from '../../shared/words/words.ts';
import { Select } from '../design/Select.tsx';
import { ThemeSwitch } from '../shell/theme.tsx';
import { About } from './program/About.tsx';
import { FolderButtons } from '../help/Support.tsx';
import { GatewayForm } from './GatewayForm.tsx';
import { LearnedSettings } from './LearnedSettings.tsx';
import { ListSettings } from './ListSettings.tsx';
import { keyWords, OtherKeys, useOtherKeys } from './Keys.tsx';
import { NightSettings } from './NightSettings.tsx';
import { SpendingSettings } from './SpendingSettings.tsx';
import { PriceSettings } from './PriceSettings.tsx';
import { StoreSettings } from '../store/StoreSettings.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';
import { UpdateSettings } from './program/UpdateSettings.tsx';
import { TellingSettings } from './TellingSettings.tsx';

interface SettingsScreenProps {
  readonly part: string | undefined;
  /** The key that a batch waits for. */
  readonly keyFor: KeyPlace | undefined;
}

/** Everything that is set for the whole application, part by part. */
export function SettingsScreen({ part, keyFor }: SettingsScreenProps) {
  const otherKeys = useOtherKeys(keyFor);
  const hasOtherKeys = otherKeys.others.length > 0 || otherKeys.asked !== undefined;
  const parts: readonly PagePart[] = [
    { ...named('gateway'), content: <GatewayForm /> },
    ...(hasOtherKeys
      ? [
          {
            id: 'keys',
            title: 'Other keys',
            text: 'A batch stays with the gateways it was started with, and uses their keys.',
            content: <OtherKeys key={keyFor && keyWords(keyFor)} {...otherKeys} />,
          },
        ]
      : []),
    { ...named('profile'), text: PROFILE_TEXT, content: <ProfileEditor /> },
    { ...named('prices'), text: PRICES_TEXT, content: <PriceSettings /> },
    { ...named('learned'), text: LEARNED_TEXT, content: <LearnedSettings /> },
    { ...named('night'), content: <NightSettings /> },
    { ...named('notifications'), text: TELLING_TEXT, content: <TellingSettings /> },
    { ...named('spending'), text: SPENDING_TEXT, content: <SpendingSettings /> },
    { ...named('appearance'), content: <Appearance /> },
    { ...named('lists'), text: <ListText />, content: <ListSettings /> },
    { ...named('store'), text: STORE_TEXT, content: <StoreSettings /> },
    { ...named('data'), content: <YourData /> },
    { ...named('updates'), content: <UpdateSettings /> },
    { ...named('about'), content: <About /> },
  ];
  return (
    <Page title="Settings" testId="settings-screen">
      <PageParts label="Parts of the settings" parts={parts} first={part} />
    </Page>
  );
}

const TELLING_TEXT = 'One message when a night has ended, or when it needs somebody: never one for each row.';

const SPENDING_TEXT = `Limits for all batches on your gateways together. ${NIGHT_WORDS} When a limit is reached, batches pause until you raise it, or until the next night or month, and you resume them.`;

const PROFILE_TEXT =
  'Gateway settings that its interface does not define: what its status numbers mean, how a task code is passed, how many requests it accepts. A status that is not in the table counts as running, and the outcome is inferred.';

const STORE_TEXT =
  'The store keeps every batch, paid request and result. On a server, several computers see the same store, and workers render it.';

const PRICES_TEXT =
  'What your gateway charges for one paid request, as its price list says. Forecasts and limits in money reckon with it. Leave a price empty if you do not know it: then a limit in money cannot hold, and says so.';

const LEARNED_TEXT =
  'What its answers looked like, counted over all nights, without anything they said. What the profile could say because of it is proposed first.';

function Appearance() {
  return (
    <div className="row">
      <ThemeSwitch isWide />
      <LanguageChoice />
    </div>
  );
}

const LANGUAGES = languageChoice.options.map((value) => ({
  value,
  words: value === 'system' ? words.settings.systemLanguage : LANGUAGE_NAMES[value],
}));

/** The language of the program. Another one opens the window anew: its page has one for as long as it lives. */
function LanguageChoice() {
  const model = useAppModel();
  const chosen = useApp((state) => state.settings?.language ?? 'system');
  const choose = async (value: string): Promise<void> => {
    const language = languageChoice.parse(value);
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

function ListText() {
  return (
    <>
      A cell with <code>__animals__</code> in it draws an item of the list “animals”: always the same one for the same
      row.
    </>
  );
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
      <p className="soft">
        The store records every batch, paid request and file. A backup holds it with your lists, settings and profiles,
        and is safe while rendering. The key is not included.
      </p>
      <div className="row wrap">
        <FolderButtons />
        <Button look="quiet" disabled={isBusy} onClick={() => run(() => model.restoreBackup())}>
          Restore a backup…
        </Button>
        <Button disabled={isBusy} onClick={() => run(() => model.backUpStore())}>
          Back up the store…
        </Button>
      </div>
    </div>
  );
}
