import { formatBytes } from '../../../shared/domain/base/text.ts';
import type { RouteArguments } from '../../ipc-client.ts';
import type { ShownRelease, UpdatesView } from '../../../shared/ipc/updates.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Disclosure } from '../../design/Page.tsx';
import { formatDayAndClock } from '../../format/times.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';

type Route = 'updates.set' | 'updates.look' | 'updates.fetch' | 'updates.cancel' | 'updates.install';

/** Whether there is a newer version, and the way to it and back. */
export function UpdateSettings() {
  const model = useAppModel();
  const view = useApp((state) => state.updates);
  const [isBusy, run] = useBusy();
  if (view === undefined) return null;
  if (view.by === 'nobody') return <p className="soft">{NOBODY}</p>;
  const ask = <R extends Route>(route: R, ...input: RouteArguments<R>): void =>
    run(async () => {
      const reply = await model.ask(route, ...input);
      // Steps come as events, in their order, which an answer may overtake: a button would come and go under the pointer.
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
        Look once a day, never in a night. {host} is asked for a list; nothing about you is sent.
      </label>
      <div className="row wrap">
        <output className="grow soft">{standingWords(view)}</output>
        <StepButtons view={view} isBusy={isBusy} ask={ask} />
      </div>
      {problem !== undefined && <Callout level="warning" title={problem} />}
      {'release' in step && <About release={step.release} by={view.by} />}
      {previous !== undefined && step.kind === 'idle' && (
        <div className="row wrap">
          <p className="grow soft">
            The version before this is {previous.version}, of {previous.date}.
          </p>
          <Button look="quiet" disabled={isBusy} onClick={() => ask('updates.fetch', { version: previous.version })}>
            Get {previous.version} back
          </Button>
        </div>
      )}
    </div>
  );
}

const NOBODY =
  'This copy does not look for newer versions: it runs from a checkout, or was built without the address of a list of releases.';

interface StepButtonsProps {
  readonly view: UpdatesView;
  readonly isBusy: boolean;
  readonly ask: <R extends Route>(route: R, ...input: RouteArguments<R>) => void;
}

/** What the user can do now. */
function StepButtons({ view: { step, by }, isBusy, ask }: StepButtonsProps) {
  const look = (
    <Button disabled={isBusy || step.kind === 'looking'} onClick={() => ask('updates.look')}>
      Look for updates
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
              Get {step.release.version}
            </Button>
          )}
        </>
      );
    case 'fetching':
      return <Button onClick={() => ask('updates.cancel')}>Cancel</Button>;
    case 'ready':
      return (
        <Button
          look="primary"
          disabled={isBusy}
          onClick={() => ask('updates.install', { version: step.release.version })}
        >
          {step.release.isOlder ? 'Go back and restart…' : 'Update and restart'}
        </Button>
      );
  }
}

function standingWords({ version, lookedAt, step }: UpdatesView): string {
  switch (step.kind) {
    case 'idle':
      if (lookedAt === undefined) return `This is version ${version}.`;
      return `This is version ${version}. No newer one is offered to it (looked ${formatDayAndClock(lookedAt)}).`;
    case 'looking':
      return 'Looking for a newer version…';
    case 'found':
      return `Version ${step.release.version} is there. This is ${version}.`;
    case 'fetching':
      return `Fetching version ${step.release.version}: ${formatBytes(step.receivedBytes)} of ${formatBytes(step.release.bytes ?? 0)}.`;
    case 'ready':
      return `Version ${step.release.version} is ready. The store is backed up first, and Nocturne starts anew.`;
    case 'installing':
      return `Version ${step.release.version} is being put in place…`;
  }
}

/** What is new in a version, and where a person gets it. */
function About({
  release: { version, date, bytes, notes, page },
  by,
}: { readonly release: ShownRelease } & Pick<UpdatesView, 'by'>) {
  return (
    <>
      {by === 'user' && (
        <p className="soft">
          This copy came as a package of your system, which does not update itself. Get the new one from{' '}
          <span className="selectable">{page}</span>, and install it as you did this one.
        </p>
      )}
      <Disclosure
        head={
          <>
            <span className="grow">What is in version {version}</span>
            <span className="soft">
              {date}
              {bytes !== undefined && `, ${formatBytes(bytes)}`}
            </span>
          </>
        }
      >
        <pre className="selectable">{notes}</pre>
      </Disclosure>
    </>
  );
}
