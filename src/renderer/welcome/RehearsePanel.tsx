import { FileSpreadsheet, LayoutGrid, Link, MoonStar, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useId, useState } from 'react';
import { useStore } from 'zustand';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { useAppModel, useBatches } from '../state/app-context.ts';
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
  const [isRunning, run] = useBusy();
  // One file is read at a time.
  const isBusy = useStore(model.bringIn.store, (state) => state.isOpening) || isRunning;
  const isVeryFirst = useBatches().length === 0;
  const [wantsTour, setWantsTour] = useState(() => model.tour.isSuggested(isVeryFirst));
  const aboutTour = useId();
  const rehearse = (open: () => Promise<void>): void =>
    run(() => {
      if (wantsTour) model.tour.begin();
      else model.tour.leave();
      return open();
    });
  return (
    <WelcomePanel title={words.home.rehearse.title} isFirst={isFirst}>
      <div className="row wrap">
        <label className="row">
          <input
            type="checkbox"
            checked={wantsTour}
            onChange={({ target }) => setWantsTour(target.checked)}
            aria-describedby={aboutTour}
          />
          {words.home.tour.offer}
        </label>
        <span id={aboutTour} className="faint">
          {words.home.tour.offerAbout}
        </span>
      </div>
      <TileGrid columns={2}>
        {SAMPLES.map(({ sample, title, text, icon }) => (
          <Tile
            key={sample}
            icon={icon}
            title={title}
            isDisabled={isBusy}
            onClick={() => rehearse(() => model.bringIn.openSample(sample))}
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
          onClick={() => rehearse(() => model.bringIn.choose(true))}
        >
          {words.home.connect.chooseSheet}
        </Button>
      </p>
    </WelcomePanel>
  );
}
