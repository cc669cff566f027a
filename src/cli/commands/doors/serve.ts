/** `nocturne serve`: the commands over HTTP, for programs on this machine. */
import { systemClock } from '../../../engine/index.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { countOf, visibleLine } from '../../../shared/domain/base/text.ts';
import type { Console } from '../../console.ts';
import { CommandFailure, EXIT, wrongUsage, type ExitCode } from '../../ending.ts';
import { DOOR_COMMANDS } from '../../doors/door-commands.ts';
import { DoorHost } from '../../doors/door-host.ts';
import { doorToken } from '../../doors/door-files.ts';
import { openHttpDoor } from '../../doors/http/http-door.ts';
import { openApiDocument } from '../../doors/http/openapi.ts';
import { wholeNumber } from '../../options/common-options.ts';
import { interruption } from '../../interruption.ts';
import { hostOptionsOf, type DoorOptions } from './door-options.ts';
import { serveBanner } from './serve-banner.ts';

export interface ServeOptions extends DoorOptions {
  readonly port?: string;
  readonly tokenFile?: string;
  readonly allowOrigin?: readonly string[];
}

const DEFAULT_PORT = 7447;

/** Listens until the process is told to end, and holds the store until then. */
export async function serveCommand(console: Console, options: ServeOptions): Promise<ExitCode> {
  const port = wholeNumber('--port', options.port, 0, 65_535) ?? DEFAULT_PORT;
  const origins = (options.allowOrigin ?? []).map(originOf);
  const host = new DoorHost(console, hostOptionsOf(options));
  const interrupted = interruption(console);
  const release = await host.hold();
  try {
    const { token, file } = await doorToken(options.tokenFile, host.dataDir);
    const opened = await openHttpDoor({
      host,
      commands: DOOR_COMMANDS,
      document: openApiDocument(DOOR_COMMANDS),
      port,
      token,
      origins,
      clock: systemClock,
      onBug: (error) => console.problem(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    if (!opened.ok) {
      throw wrongUsage(
        `Port ${port} cannot be listened on: ${opened.error}`,
        'Choose another --port; 0 takes a free one.',
      );
    }
    const { url } = opened.value;
    await takeUp(console, host);
    console.event('listening', { url, tokenFile: file, ...present({ cap: host.options.cap }) });
    for (const line of serveBanner(url, file, host.options)) console.line(line);
    await interrupted.happened;
    await opened.value.close();
    return (await host.end()) ? EXIT.interrupted : EXIT.done;
  } finally {
    await host.end();
    await release();
    interrupted.stopListening();
  }
}

/** Continues what was running when a process ended, within the cap; without a cap, says what stands still. */
async function takeUp(console: Console, host: DoorHost): Promise<void> {
  await host.work(async (engine) => {
    const batches = (await engine.store.batches()).filter(
      ({ state, settings }) =>
        state === 'running' && !settings.rehearsal && (!engine.isShared || settings.ceiling !== undefined),
    );
    if (engine.isShared) {
      // The workers have the batches, under the cap with which these were started.
      for (const { id } of batches) await host.follow(engine, id);
      return;
    }
    if (batches.length > 0 && host.options.cap === undefined) {
      console.problem(
        `warning: ${countOf(batches.length, 'batch', 'batches')} ${batches.length === 1 ? 'stands' : 'stand'} still: this server has no cap.\n    → Start the server with --max-cost AMOUNT or --max-requests N, or continue in the window.`,
      );
      return;
    }
    for (const batch of batches) {
      try {
        await host.prepare(engine, batch);
        await engine.attach(batch.id);
        await host.follow(engine, batch.id);
        console.line(`Batch ${batch.id} (${visibleLine(batch.name, 60)}) continues.`);
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        console.problem(`warning: batch ${batch.id} stands still: ${error.message}\n    → ${error.remedy}`);
      }
    }
  });
}

function originOf(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw wrongUsage(
    `--allow-origin ${text}: not an origin`,
    'Give one as a browser names it, such as https://app.example.',
  );
}
