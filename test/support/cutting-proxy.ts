/**
 * A TCP proxy before a PostgreSQL server, which cuts a connection right before or right after its COMMIT, or in a query: the
 * client hears of it, and the server does not.
 */
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';

/** `told`: the COMMIT is done, and answered by an error of a pooler that has lost its server. `query`: no COMMIT. */
export type Cut = 'before' | 'after' | 'told' | 'query';

export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connection with the next COMMIT, or with the next query inside a transaction. While `isAway`, nobody gets through afterwards. */
  cut(when: Cut, isAway?: boolean): void;
  /** Lets everybody through again. */
  heal(): void;
  /** Lets the server know of the connections that were cut. */
  tell(): void;
  /** From now on, nothing gets through, and nobody hears that it does not. */
  silence(): void;
  /** How often a connection was cut. */
  readonly cuts: number;
  close(): void;
}

/** @param socket The folder with the server's socket. */
export async function startCuttingProxy(socket: string): Promise<CuttingProxy> {
  let next: { readonly when: Cut; readonly isAway: boolean } | undefined;
  let isAway = false;
  let isSilent = false;
  let cuts = 0;
  const open = new Set<Socket>();
  const unheard: Socket[] = [];
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const behind = connect(path.join(socket, '.s.PGSQL.5432'));
    for (const one of [client, behind]) {
      open.add(one);
      one.on('error', () => undefined);
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
        // The server waits for a client that it takes to be there, and holds what that has locked.
        if (cut === 'before' || cut === 'query') return void client.destroy();
      }
      behind.write(bytes);
    });
    behind.on('data', (bytes) => {
      // The server has committed; nobody will hear of it.
      if (cut === 'told') client.end(failure('08P01', 'server conn crashed?'));
      else if (cut === undefined) client.write(bytes);
      else client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    cut: (when, away = false) => (next = { when, isAway: away }),
    heal: () => (isAway = false),
    silence: () => (isSilent = true),
    tell() {
      for (const one of unheard.splice(0)) one.destroy();
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
