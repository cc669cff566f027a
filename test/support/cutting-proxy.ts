/**
 * A TCP proxy before a PostgreSQL server, which cuts a connection right before or right after its COMMIT: the client hears of
 * it, and the server does not.
 */
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';

export type Cut = 'before' | 'after';

export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connection with the next COMMIT. While `isAway`, nobody gets through afterwards. */
  cut(when: Cut, isAway?: boolean): void;
  /** Lets everybody through again. */
  heal(): void;
  /** How often a connection was cut. */
  readonly cuts: number;
  close(): void;
}

/** @param socket The folder with the server's socket. */
export async function startCuttingProxy(socket: string): Promise<CuttingProxy> {
  let next: { readonly when: Cut; readonly isAway: boolean } | undefined;
  let isAway = false;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const behind = connect(path.join(socket, '.s.PGSQL.5432'));
    for (const one of [client, behind]) {
      open.add(one);
      one.on('error', () => undefined);
    }
    behind.on('close', () => client.destroy());
    client.on('close', () => {
      if (!isCut) behind.destroy();
    });
    let isCut = false;
    let isCommitting = false;
    client.on('data', (bytes) => {
      if (next !== undefined && bytes.includes('COMMIT')) {
        isAway = next.isAway;
        cuts += 1;
        isCut = true;
        isCommitting = true;
        const { when } = next;
        next = undefined;
        // The server waits for a client that it takes to be there, and holds what that has locked.
        if (when === 'before') return void client.destroy();
      }
      behind.write(bytes);
    });
    behind.on('data', (bytes) => {
      // The server has committed; nobody will hear of it.
      if (isCommitting) client.destroy();
      else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    cut: (when, away = false) => (next = { when, isAway: away }),
    heal: () => (isAway = false),
    get cuts() {
      return cuts;
    },
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}
