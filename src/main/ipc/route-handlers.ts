/** Everything that the window may ask for: what main answers itself, and what it passes on to the engine. */
import type { SettingsView } from '../../shared/ipc/app.ts';
import { type Reply, routes } from '../../shared/ipc/contract.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import { PASSED_ROUTES, type Additions, type PassedRouteName } from '../engine-process/engine-protocol.ts';
import { SheetOpening } from '../services/sheet-opening.ts';
import { appHandlers, currentSettings, type HandlerContext } from './app-handlers.ts';
import { batchHandlers } from './batch-handlers.ts';
import type { RouteHandlers } from './ipc-router.ts';
import { openingHandlers, sheetHandlers } from './sheet-handlers.ts';

/** The handlers of all routes, and of what the window did not ask for. */
export interface AnsweredRoutes {
  readonly handlers: RouteHandlers;
  /** Opens a sheet that was dropped on the window or named at the start, and tells the window. */
  readonly openSheetUnasked: (path: string) => Promise<void>;
  /** Lets the user choose a sheet through the menu, and tells the window. */
  readonly chooseSheetUnasked: () => Promise<void>;
  /** Backs the store up through the menu, and tells the window. */
  readonly backUpUnasked: () => Promise<void>;
  currentSettings(): SettingsView;
}

/** Makes the handlers of all routes. */
export function createRoutes(context: HandlerContext): AnsweredRoutes {
  const { engine, settings, feed } = context;
  const sheets = new SheetOpening({ engine, settings, now: Date.now });
  const handlers: RouteHandlers = {
    ...passOn(context),
    ...appHandlers(context),
    ...openingHandlers(context, sheets),
    ...batchHandlers(context),
    ...sheetHandlers(context),
  };
  const tell = (sheet: Reply<SheetView | undefined>): void => {
    if (!sheet.ok) {
      feed.emit('notice', { level: 'error', title: 'The sheet could not be opened', message: sheet.error.message });
    } else if (sheet.value !== undefined) feed.emit('sheet.opened', { sheet: sheet.value });
  };
  return {
    handlers,
    openSheetUnasked: async (path) => tell(await sheets.open(path)),
    chooseSheetUnasked: async () => tell(await handlers['sheet.choose'](undefined)),
    backUpUnasked: async () => {
      const copied = await handlers['store.backup'](undefined);
      if (!copied.ok) {
        feed.emit('notice', { level: 'error', title: 'The store could not be copied', message: copied.error.message });
      } else if (copied.value !== undefined) {
        feed.emit('notice', { level: 'info', title: 'The store is backed up', message: copied.value.file });
      }
    },
    currentSettings: () => currentSettings(context),
  };
}

/** The routes of the engine, with what main adds to their input according to the contract. */
function passOn({ engine, settings, desktop }: HandlerContext): Pick<RouteHandlers, PassedRouteName> {
  const additions: { readonly [A in keyof Additions]: () => Additions[A] | Promise<Additions[A]> } = {
    profile: () => ({ profile: settings.current.profile }),
    prices: () => ({ prices: settings.current.profile.prices }),
    clipboard: () => desktop.readClipboard(),
  };
  const pass = (name: PassedRouteName) => async (input: object | undefined) => {
    const { adds } = routes[name];
    const whole = adds === undefined ? input : { ...input, ...(await additions[adds]()) };
    // The engine's process parses it; the compiler cannot follow a union of routes.
    return engine.request(name, whole as never);
  };
  return Object.fromEntries(PASSED_ROUTES.map((name) => [name, pass(name)])) as unknown as Pick<
    RouteHandlers,
    PassedRouteName
  >;
}
