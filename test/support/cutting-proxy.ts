/**
 * A TCP proxy in front of a PostgreSQL server, which cuts a connection right before or right after its COMMIT, or in a
 * query: the client notices, and the server does not.
 */
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';

/** `told`: the COMMIT is done, and answered with the error of a pooler that has lost its server. `query`: no COMMIT. */
export type Cut = 'before' | 'after' | 'told' | 'query';

export interface CuttingProxy {
  readonly port: number;
  /**
   * Cuts the connection with the next COMMIT, or with the next query inside a transaction. While `isAway`, nobody gets
   * through afterwards.
   */
  cut(when: Cut, isAway?: boolean): void;
  /** Cuts every connection, and nobody gets through. */
  leave(): void;
  /** Lets everybody through again; a connection that has lost something ends. */
  heal(): void;
  /** Lets the server know of the connections that were cut. */
  tell(): void;
  /** From the next connection, it claims to be a process other than the server's, as a pooler does. */
  pool(): void;
  /** Nothing gets through, and nobody hears that it does not. */
  silence(): void;
  /** Nothing gets through until the returned function is called; then everything does. */
  hold(): () => void;
  /** From now on, everything takes this many milliseconds longer on its way to the server. */
  lag(ms: number): void;
  /** How many connections there are. */
  readonly connections: number;
  /** How often a connection was cut. */
  readonly cuts: number;
  close(): void;
}

/** @param socket The folder with the server's socket. */
export async function startCuttingProxy(socket: string): Promise<CuttingProxy> {
  let next: { readonly when: Cut; readonly isAway: boolean } | undefined;
  let isAway = false;
  let isSilent = false;
  let isPooler = false;
  let cuts = 0;
  let held: (() => void)[] | undefined;
  let lagMs = 0;
  const open = new Set<Socket>();
  const unheard: Socket[] = [];
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const behind = connect(path.join(socket, '.s.PGSQL.5432'));
    for (const one of [client, behind]) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => open.delete(one));
      one.on('data', () => {
        if (isSilent) unheard.push(client, behind);
      });
    }
    behind.on('close', () => client.destroy());
    client.on('close', () => {
      if (cut === undefined) behind.destroy();
    });
    let cut: Cut | undefined;
    client.on('data', (bytes) => {
      if (isSilent) return;
      const said = bytes.toString('latin1');
      const isMeant = next?.when === 'query' ? !/BEGIN|COMMIT|SET/u.test(said) : /COMMIT\b/u.test(said);
      if (next !== undefined && isMeant) {
        isAway = next.isAway;
        cuts += 1;
        cut = next.when;
        unheard.push(behind);
        next = undefined;
        // The server waits for a client that it believes to be there, and keeps what that client has locked.
        if (cut === 'before' || cut === 'query') return void client.destroy();
      }
      deliver(() => void behind.write(bytes));
    });
    behind.on('data', (bytes) => {
      if (isSilent) return;
      // The server has committed; nobody will hear of it.
      if (cut === 'told') client.end(failure('08P01', 'server conn crashed?'));
      else if (cut === undefined) client.write(isPooler ? asOfPooler(bytes) : bytes);
      else client.destroy();
    });
  });
  /** Delivers bytes in the order in which they came. */
  function deliver(write: () => void): void {
    if (held !== undefined) held.push(write);
    else if (lagMs > 0) setTimeout(write, lagMs);
    else write();
  }
  function tell(): void {
    for (const one of unheard.splice(0)) one.destroy();
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    cut: (when, away = false) => (next = { when, isAway: away }),
    leave() {
      isAway = true;
      for (const one of open) one.destroy();
    },
    heal() {
      isAway = false;
      if (isSilent) tell();
      isSilent = false;
    },
    silence: () => (isSilent = true),
    pool: () => (isPooler = true),
    hold() {
      held ??= [];
      return () => {
        const all = held ?? [];
        held = undefined;
        for (const write of all) write();
      };
    },
    lag: (ms) => (lagMs = ms),
    tell,
    get connections() {
      return open.size / 2;
    },
    get cuts() {
      return cuts;
    },
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}

/** An ErrorResponse, after which the connection ends. */
function failure(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

/** With another number in BackendKeyData: https://www.postgresql.org/docs/15/protocol-message-formats.html */
function asOfPooler(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) bytes.writeInt32BE(7, at + 5);
  return bytes;
}
