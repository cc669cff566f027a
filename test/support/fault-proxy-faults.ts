/** What goes over a connection to a gateway, as the request line shows. */
export const REQUEST_KINDS = ['submit', 'poll', 'download'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/**
 * One thing that a network does to a request and its answer. Times are milliseconds of the proxy's clock. `refused`
 * is not among them: a connection is refused before anything can be asked, see `FaultProxy.refuse`.
 */
export type NetworkFault =
  /** Everything arrives, later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Every piece arrives after a time of its own, in order. */
  | { readonly kind: 'jitter'; readonly maxMs: number }
  /** Everything arrives in small pieces at this rate. */
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** The answer arrives; the connection then counts as open for this long, and what is sent on it meanwhile is lost. */
  | { readonly kind: 'slow-close'; readonly ms: number }
  /** Reset, without the gateway having heard of the request, or when its answer begins. */
  | { readonly kind: 'reset'; readonly at: 'request' | 'answer' }
  /** The gateway has the request; its answer gets lost on a connection that stays open. */
  | { readonly kind: 'half-open' }
  /** This many bytes of the request (`up`) or of the answer (`down`) arrive, then the connection ends in order. */
  | { readonly kind: 'cut'; readonly direction: 'up' | 'down'; readonly afterBytes: number }
  /** Nothing is passed on, nothing comes back, the connection stays open. */
  | { readonly kind: 'black-hole' }
  /**
   * Not a fault of a network: the gateway receives the request twice, as from a client that resends. For testing an
   * oracle.
   */
  | { readonly kind: 'replay' }
  /** Not a fault that TCP lets through: one byte of the answer differs. For testing an oracle. */
  | { readonly kind: 'flip'; readonly atByte: number };

/** What a fault lets a connection do. */
export interface Passage {
  /** Passes bytes on after `delayMs`; never before those of an earlier call. */
  pass(direction: 'up' | 'down', bytes: Buffer, delayMs: number): void;
  /** Ends the connection with the engine in order, once everything passed on has left. */
  end(): void;
  reset(): void;
  /** Sends these bytes to the gateway on a connection of its own, whose answer nobody reads. */
  sendBeside(bytes: Buffer): void;
  /** Calls back after `ms`, unless the connection is gone by then. */
  after(ms: number, callback: () => void): void;
  /** In [0, 1), from the proxy's seed. */
  random(): number;
}

/** Takes every piece of one exchange, and decides what happens to it. */
export type FaultGate = (direction: 'up' | 'down', bytes: Buffer) => void;

/** How many pieces a slow line delivers in a second. */
const PIECES_PER_SECOND = 20;

/** The gate of one exchange; without a fault everything passes. */
export function openGate(fault: NetworkFault | undefined, passage: Passage): FaultGate {
  const plain: FaultGate = (direction, bytes) => passage.pass(direction, bytes, 0);
  switch (fault?.kind) {
    case undefined:
      return plain;
    case 'latency':
      return (direction, bytes) => passage.pass(direction, bytes, fault.ms);
    case 'jitter':
      return (direction, bytes) => passage.pass(direction, bytes, passage.random() * fault.maxMs);
    case 'bandwidth':
      return narrowGate(fault.bytesPerSecond, passage);
    case 'slow-close':
      return slowClosingGate(fault.ms, passage);
    case 'reset':
      return (direction, bytes) => {
        if (direction === 'down' || fault.at === 'request') passage.reset();
        else passage.pass(direction, bytes, 0);
      };
    case 'half-open':
      return (direction, bytes) => direction === 'up' && passage.pass(direction, bytes, 0);
    case 'black-hole':
      return () => undefined;
    case 'cut':
      return cuttingGate(fault, passage);
    case 'replay':
      return (direction, bytes) => {
        if (direction === 'up') passage.sendBeside(bytes);
        passage.pass(direction, bytes, 0);
      };
    case 'flip':
      return flippingGate(fault.atByte, passage);
  }
}

function narrowGate(bytesPerSecond: number, passage: Passage): FaultGate {
  const size = Math.max(1, Math.round(bytesPerSecond / PIECES_PER_SECOND));
  const until = { up: 0, down: 0 };
  return (direction, bytes) => {
    for (let start = 0; start < bytes.length; start += size) {
      const piece = bytes.subarray(start, start + size);
      until[direction] += (piece.length / bytesPerSecond) * 1000;
      passage.pass(direction, piece, until[direction]);
    }
  };
}

function slowClosingGate(ms: number, passage: Passage): FaultGate {
  let isAnswered = false;
  return (direction, bytes) => {
    if (direction === 'up' && isAnswered) return;
    passage.pass(direction, bytes, 0);
    if (direction === 'up' || isAnswered) return;
    isAnswered = true;
    passage.after(ms, () => passage.end());
  };
}

function cuttingGate(fault: Extract<NetworkFault, { kind: 'cut' }>, passage: Passage): FaultGate {
  let left = fault.afterBytes;
  return (direction, bytes) => {
    if (direction !== fault.direction) return passage.pass(direction, bytes, 0);
    if (left > 0) passage.pass(direction, bytes.subarray(0, left), 0);
    left -= bytes.length;
    if (left < 0) passage.end();
    return undefined;
  };
}

function flippingGate(atByte: number, passage: Passage): FaultGate {
  let passed = 0;
  return (direction, bytes) => {
    const at = atByte - passed;
    const isHere = direction === 'down' && at >= 0 && at < bytes.length;
    const different = isHere ? Buffer.from(bytes) : bytes;
    if (isHere) different[at] = (different[at] ?? 0) ^ 0xff;
    if (direction === 'down') passed += bytes.length;
    passage.pass(direction, different, 0);
  };
}
