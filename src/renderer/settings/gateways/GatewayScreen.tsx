import { ArrowLeft } from 'lucide-react';
import type { KeyPlace } from '../../../shared/ipc/app.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Page, type PagePart, PageParts } from '../../design/Page.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';
import { GATEWAY_PARTS, type GatewayPart } from '../../state/app-state.ts';
import { gatewayAddress, GatewayActions } from './GatewayList.tsx';
import { GatewayForm } from './GatewayForm.tsx';
import { KeyList, useNamedKeys } from './Keys.tsx';
import { KeyTrustSettings } from './KeyTrustSettings.tsx';
import { LearnedSettings } from './LearnedSettings.tsx';
import { PriceSettings } from './PriceSettings.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';

interface GatewayScreenProps {
  /** The name of its profile. */
  readonly gateway: string;
  readonly part?: GatewayPart;
  /** One of its further keys, that a batch waits for. */
  readonly keyFor?: KeyPlace | undefined;
}

/** Everything about one gateway, whether or not new batches use it. */
export function GatewayScreen(props: GatewayScreenProps) {
  const { profileDrafts } = useAppModel();
  // What was typed stays when the gateway is renamed, and does not go to another one that gets its former name.
  return <GatewayPage key={profileDrafts.idOf(props.gateway)} {...props} />;
}

function GatewayPage({ gateway, part, keyFor }: GatewayScreenProps) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  if (settings === undefined) return null;
  const known = settings.gateways.find(({ profile }) => profile === gateway);
  const { about } = words.settings;
  const parts: readonly PagePart[] = [
    { ...named('connection'), content: <Connection gateway={gateway} keyFor={keyFor} /> },
    { ...named('profile'), text: about.profile, content: <ProfileEditor gateway={gateway} /> },
    { ...named('prices'), text: about.prices, content: <PriceSettings gateway={gateway} /> },
    { ...named('learned'), text: about.learned, content: <LearnedSettings gateway={gateway} /> },
  ];
  return (
    <Page
      title={shownLine(gateway)}
      about={
        known === undefined ? (
          <Callout isSlim level="warning" title={words.settings.gateways.goneTitle}>
            {words.settings.gateways.goneText}
          </Callout>
        ) : (
          <span className="cut">{gatewayAddress(known)}</span>
        )
      }
      tools={
        <>
          {known !== undefined && <GatewayActions gateway={gateway} />}
          <Button icon={ArrowLeft} onClick={() => model.go({ kind: 'settings', part: 'gateways' })}>
            {words.settings.gateways.all}
          </Button>
        </>
      }
      testId="gateway-screen"
    >
      <PageParts label={words.settings.gateways.partsLabel} parts={parts} first={part} />
    </Page>
  );
}

function named(id: GatewayPart): Pick<PagePart, 'id' | 'title'> {
  return { id, title: GATEWAY_PARTS[id] };
}

/** Where a gateway is, its keys, and what is believed about the keys of its requests. */
function Connection({ gateway, keyFor }: Pick<GatewayScreenProps, 'gateway' | 'keyFor'>) {
  return (
    <>
      <GatewayForm gateway={gateway} />
      <KeyList keys={useNamedKeys(gateway)} asked={keyFor} />
      <KeyTrustSettings gateway={gateway} />
    </>
  );
}
