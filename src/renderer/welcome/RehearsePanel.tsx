import { FileSpreadsheet, LayoutGrid, Link, MoonStar, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
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
    title: 'A night of 60 rows',
    text: 'Songs, clips and pictures, like a real evening’s work.',
    icon: MoonStar,
  },
  {
    sample: 'chain',
    title: 'A chain of 20 rows',
    text: 'Rows that build on each other: lyrics, songs, videos, and what they become.',
    icon: Link,
  },
  {
    sample: 'all-operations',
    title: `All ${OPERATIONS.length} operations`,
    text: 'One row for each thing that the gateway can do.',
    icon: LayoutGrid,
  },
  {
    sample: 'mistakes',
    title: 'A sheet full of mistakes',
    text: 'See how each is found and explained before anything is paid.',
    icon: TriangleAlert,
  },
];

/** Chooses what to rehearse: a sample, or the user's own sheet. `isFirst`: nothing else titles the screen. */
export function RehearsePanel({ isFirst }: { readonly isFirst: boolean }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <WelcomePanel title="Choose a rehearsal" isFirst={isFirst}>
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
        Or rehearse your own work: drop a sheet anywhere on this window, or
        <Button
          look="secondary"
          size="small"
          icon={FileSpreadsheet}
          onClick={() => run(() => model.bringIn.choose(true))}
        >
          Choose a sheet…
        </Button>
      </p>
    </WelcomePanel>
  );
}
