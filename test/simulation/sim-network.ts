import { Dispatcher } from 'undici';
import type { Coverage } from './coverage.ts';
import type { Machine } from './machine.ts';
import type { Asked, Came, ModelGateway } from './model-gateway.ts';
import type { RequestFault } from './plan.ts';
import { KEY_HEADER } from './sim-sheet.ts';
import { assertNever } from '../../src/shared/domain/base/result.ts';

/** Counts the requests of each row, so that a fault hits the one that it names. */
export class RequestCounts {
  readonly #faults: readonly RequestFault[];
  readonly #coverage: Coverage;
  readonly #counts = new Map<string, number>();

  constructor(faults: readonly RequestFault[], coverage: Coverage) {
    this.#faults = faults;
    this.#coverage = coverage;
  }

  /** The fault of the next request of this kind for a row, if the plan has one. */
  next(at: RequestFault['at'], row: string | undefined): RequestFault['does'] | undefined {
    if (row === undefined) return undefined;
    const nth = (this.#counts.get(`${at} ${row}`) ?? 0) + 1;
    this.#counts.set(`${at} ${row}`, nth);
    const fault = this.#faults.find((one) => one.at === at && one.row === row && one.nth === nth);
    if (fault !== undefined) this.#coverage.fault(at, fault.does);
    return fault?.does;
  }
}

export interface SimNetworkOptions {
  readonly account: number;
  readonly machine: Machine;
  readonly gateway: ModelGateway;
  readonly requests: RequestCounts;
  /** The key that the user has entered for the account so far. */
  readonly key: () => string | undefined;
  readonly report: (rule: string, detail: string) => void;
  /** Called with each request as it is handed over; a submit also right before its first byte. */
  readonly onRequest: () => void;
  readonly onHandOver: (body: string) => void;
  readonly onSubmit: (body: string) => void;
  readonly onPoll: (code: string) => void;
  /** Called when an answer that asks for a wait has come. */
  readonly onAskedToWait: (account: number, forMs: number) => void;
}

/** The network between one process and one account at the gateway, below the real adapter. */
export class SimNetwork extends Dispatcher {
  readonly #options: SimNetworkOptions;
  /** The process has died: nothing reaches it any more. */
  isCut = false;

  constructor(options: SimNetworkOptions) {
    super();
    this.#options = options;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    new Connection(this, this.#options, request, handler).open();
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    callback?.();
    return Promise.resolve();
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** One request and its answer. */
class Connection {
  readonly #network: SimNetwork;
  readonly #options: SimNetworkOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #asked: Asked;
  #isAborted = false;
  readonly #controller: Dispatcher.DispatchController;

  constructor(
    network: SimNetwork,
    options: SimNetworkOptions,
    { method, path, body, headers }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ) {
    this.#network = network;
    this.#options = options;
    this.#handler = handler;
    const { account, gateway, requests } = options;
    const content: Asked['content'] =
      method === 'POST'
        ? { kind: 'submit', operation: path, body: Buffer.from(body as Uint8Array).toString() }
        : { kind: 'poll', code: new URLSearchParams(path.split('?')[1]).get('taskCode') ?? '' };
    const row = content.kind === 'submit' ? rowOf(content.body) : gateway.chargeOf(content.code)?.row;
    const key = headerIn(headers, 'aiKey') ?? '';
    const requestKey = headerIn(headers, KEY_HEADER);
    this.#asked = { account, key, row, content, requestKey, fault: requests.next(content.kind, row) };
    const abort = (): void => {
      this.#isAborted = true;
    };
    this.#controller = {
      abort,
      pause: () => undefined,
      resume: () => undefined,
      paused: false,
      aborted: false,
      reason: null,
      rawHeaders: [],
      rawTrailers: [],
    };
    options.onRequest();
    if (key !== options.key()) options.report('key', `${this.#label} is sent with ${key}, which is not the user’s key`);
    if (content.kind === 'submit') options.onHandOver(content.body);
  }

  open(): void {
    const { machine } = this.#options;
    machine.agenda.add(machine.networkWayMs(), 'process', `connect ${this.#label}`, () => this.#begin());
  }

  get #label(): string {
    const { row, content } = this.#asked;
    return `${content.kind} ${row ?? 'of nothing'}`;
  }

  #begin(): void {
    const { machine, onSubmit, onPoll } = this.#options;
    const { content, fault } = this.#asked;
    if (machine.isSpell('outage') || fault === 'unreachable') {
      this.#handler.onResponseError?.(this.#controller, new Error('connect ECONNREFUSED'));
      return;
    }
    this.#handler.onRequestStart?.(this.#controller, {});
    if (this.#isAborted) return;
    if (content.kind === 'submit') onSubmit(content.body);
    else onPoll(content.code);
    machine.agenda.add(machine.networkWayMs(), 'world', `${this.#label} arrives`, () => this.#arrive());
  }

  #arrive(): void {
    const { machine, gateway } = this.#options;
    const came = gateway.answer(this.#asked);
    if (came.kind === 'nothing') return;
    const afterMs = machine.networkWayMs() + (came.kind === 'answer' ? came.afterMs : 0);
    machine.agenda.add(afterMs, 'world', `${this.#label} answered`, () => this.#deliver(came));
  }

  #deliver(came: Exclude<Came, { kind: 'nothing' }>): void {
    if (this.#network.isCut || this.#isAborted) return;
    const { machine } = this.#options;
    if (machine.isAsleep) {
      // The connection is gone when the machine wakes.
      const again = (): void => this.#deliver({ kind: 'reset' });
      machine.agenda.add(machine.asleepForMs, 'process', `${this.#label} broken`, again);
      return;
    }
    switch (came.kind) {
      case 'reset':
        this.#handler.onResponseError?.(this.#controller, new Error('read ECONNRESET'));
        return;
      case 'answer': {
        const { status, headers, body } = came.answer;
        const seconds = headers['retry-after'];
        if (seconds !== undefined) this.#options.onAskedToWait(this.#options.account, Number(seconds) * 1000);
        this.#handler.onResponseStart?.(this.#controller, status, { ...headers });
        this.#handler.onResponseData?.(this.#controller, Buffer.from(body));
        this.#handler.onResponseEnd?.(this.#controller, {});
        return;
      }
      default:
        assertNever(came);
    }
  }
}

/** The adapter gives the headers as a list of names and values. */
function headerIn(headers: Dispatcher.DispatchOptions['headers'], name: string): string | undefined {
  const list = headers as readonly string[];
  const at = list.indexOf(name);
  return at === -1 ? undefined : list[at + 1];
}

/** The row that a body was made of: the first word of its prompt. */
export function rowOf(body: string): string {
  return (JSON.parse(body) as { readonly prompt?: string }).prompt?.split(' ')[0] ?? '';
}
