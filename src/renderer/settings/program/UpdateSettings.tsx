import { formatBytes } from '../../../shared/domain/base/text.ts';
import type { RouteArguments } from '../../ipc-client.ts';
import type { ShownRelease, UpdatesView } from '../../../shared/ipc/updates.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Disclosure, Phrase } from '../../design/Page.tsx';
import { formatDayAndClock } from '../../format/times.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';

type Route = 'updates.set' | 'updates.look' | 'updates.fetch' | 'updates.cancel' | 'updates.install';

/** Whether there is a newer version, and the way to it and back. */
export function UpdateSettings() {
  const model = useAppModel();
  const view = useApp((state) => state.updates);
  const [isBusy, run] = useBusy();
  if (view === undefined) return null;
  if (view.by === 'nobody') return <p className="soft">{words.settings.updates.nobody}</p>;
  const ask = <R extends Route>(route: R, ...input: RouteArguments<R>): void =>
    run(async () => {
      const reply = await model.ask(route, ...input);
      // Steps come as events, in order, and an answer may overtake them: a button would come and go under the pointer.
      if (reply.ok && route === 'updates.set') model.app.setState({ updates: reply.value });
    });
  const { step, previous, problem, host } = view;
  return (
    <div className="stack">
      <label className="row">
        <input
          type="checkbox"
          checked={view.isAutomatic}
          onChange={(event) => ask('updates.set', { isAutomatic: event.target.checked })}
        />
        {words.settings.updates.daily(host)}
      </label>
      <div className="row wrap">
        <output className="grow soft">{standingWords(view)}</output>
        <StepButtons view={view} isBusy={isBusy} ask={ask} />
      </div>
      {problem !== undefined && <Callout level="warning" title={problem} />}
      {'release' in step && <About release={step.release} by={view.by} />}
      {previous !== undefined && step.kind === 'idle' && (
        <div className="row wrap">
          <p className="grow soft">{words.settings.updates.previous(previous.version, previous.date)}</p>
          <Button look="quiet" disabled={isBusy} onClick={() => ask('updates.fetch', { version: previous.version })}>
            {words.settings.updates.getBack(previous.version)}
          </Button>
        </div>
      )}
    </div>
  );
}

interface StepButtonsProps {
  readonly view: UpdatesView;
  readonly isBusy: boolean;
  readonly ask: <R extends Route>(route: R, ...input: RouteArguments<R>) => void;
}

/** What the user can do now. */
function StepButtons({ view: { step, by }, isBusy, ask }: StepButtonsProps) {
  const look = (
    <Button disabled={isBusy || step.kind === 'looking'} onClick={() => ask('updates.look')}>
      {words.settings.updates.look}
    </Button>
  );
  switch (step.kind) {
    case 'idle':
    case 'looking':
      return look;
    case 'installing':
      return null;
    case 'found':
      return (
        <>
          {look}
          {by === 'program' && (
            <Button
              look="primary"
              disabled={isBusy}
              onClick={() => ask('updates.fetch', { version: step.release.version })}
            >
              {words.settings.updates.get(step.release.version)}
            </Button>
          )}
        </>
      );
    case 'fetching':
      return <Button onClick={() => ask('updates.cancel')}>{words.common.cancel}</Button>;
    case 'ready':
      return (
        <Button
          look="primary"
          disabled={isBusy}
          onClick={() => ask('updates.install', { version: step.release.version })}
        >
          {step.release.isOlder ? words.settings.updates.goBack : words.settings.updates.update}
        </Button>
      );
  }
}

function standingWords({ version, lookedAt, step }: UpdatesView): string {
  switch (step.kind) {
    case 'idle':
      return lookedAt === undefined
        ? words.settings.updates.is(version)
        : words.settings.updates.isNewest(version, formatDayAndClock(lookedAt));
    case 'looking':
      return words.settings.updates.isLooking;
    case 'found':
      return words.settings.updates.found(step.release.version, version);
    case 'fetching':
      return words.settings.updates.fetching(
        step.release.version,
        formatBytes(step.receivedBytes),
        formatBytes(step.release.bytes ?? 0),
      );
    case 'ready':
      return words.settings.updates.ready(step.release.version);
    case 'installing':
      return words.settings.updates.installing(step.release.version);
  }
}

/** What is new in a version, and where to get it. */
function About({
  release: { version, date, bytes, notes, page },
  by,
}: { readonly release: ShownRelease } & Pick<UpdatesView, 'by'>) {
  return (
    <>
      {by === 'user' && (
        <p className="soft">
          <Phrase of={words.settings.updates.getFrom(<span className="selectable">{page}</span>)} />
        </p>
      )}
      <Disclosure
        head={
          <>
            <span className="grow">{words.settings.updates.whatIsIn(version)}</span>
            <span className="soft">
              {words.settings.updates.dateAndSize(date, bytes === undefined ? undefined : formatBytes(bytes))}
            </span>
          </>
        }
      >
        <pre className="selectable">{notes}</pre>
      </Disclosure>
    </>
  );
}
