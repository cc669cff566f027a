import { FileSpreadsheet, LayoutGrid, Link, MoonStar, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { useAppModel } from '../state/app-context.ts';
import { Tile, TileGrid, WelcomePanel } from './Tile.tsx';

type Sample = RouteInput<'sheet.sample'>['sample'];

const SAMPLES: readonly {
  readonly sample: Sample;
  readonly title: string;
  readonly text: string;
  readonly icon: LucideIcon;
}[] = [
  {
    sample: 'night',
    title: words.home.rehearse.night,
    text: words.home.rehearse.nightAbout,
    icon: MoonStar,
  },
  {
    sample: 'chain',
    title: words.home.rehearse.chain,
    text: words.home.rehearse.chainAbout,
    icon: Link,
  },
  {
    sample: 'all-operations',
    title: words.home.rehearse.all(OPERATIONS.length),
    text: words.home.rehearse.allAbout,
    icon: LayoutGrid,
  },
  {
    sample: 'mistakes',
    title: words.home.rehearse.mistakes,
    text: words.home.rehearse.mistakesAbout,
    icon: TriangleAlert,
  },
];

/** Chooses what to rehearse: a sample, or the user's own sheet. `isFirst`: nothing else titles the screen. */
export function RehearsePanel({ isFirst }: { readonly isFirst: boolean }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <WelcomePanel title={words.home.rehearse.title} isFirst={isFirst}>
      <TileGrid columns={2}>
        {SAMPLES.map(({ sample, title, text, icon }) => (
          <Tile
            key={sample}
            icon={icon}
            title={title}
            isDisabled={isBusy}
            onClick={() => run(() => model.bringIn.openSample(sample))}
          >
            {text}
          </Tile>
        ))}
      </TileGrid>
      <p className="row wrap soft">
        {words.home.rehearse.orOwn}
        <Button
          look="secondary"
          size="small"
          icon={FileSpreadsheet}
          onClick={() => run(() => model.bringIn.choose(true))}
        >
          {words.home.connect.chooseSheet}
        </Button>
      </p>
    </WelcomePanel>
  );
}
