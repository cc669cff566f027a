/** A TCP proxy before a PostgreSQL server, which cuts a connection right before or right after its COMMIT. */
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
    const end = (): void => {
      client.destroy();
      behind.destroy();
    };
    for (const one of [client, behind]) {
      open.add(one);
      one.on('error', end);
      one.on('close', end);
    }
    let isCommitting = false;
    client.on('data', (bytes) => {
      if (next !== undefined && bytes.includes('COMMIT')) {
        isAway = next.isAway;
        cuts += 1;
        isCommitting = true;
        const { when } = next;
        next = undefined;
        if (when === 'before') return end();
      }
      behind.write(bytes);
    });
    behind.on('data', (bytes) => {
      // The server has committed; nobody will hear of it.
      if (isCommitting) end();
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
