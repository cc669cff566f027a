/** Serves a feed of releases and its files, well or badly, and notes who asked for what. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReleaseServer {
  readonly feed: string;
  /** What is answered, by path. */
  readonly files: Map<string, Uint8Array>;
  /** Paths of which only the first half is sent before the connection ends. */
  readonly halved: Set<string>;
  readonly asked: IncomingMessage[];
  close(): void;
}

export async function startReleaseServer(): Promise<ReleaseServer> {
  const files = new Map<string, Uint8Array>();
  const halved = new Set<string>();
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://feed').pathname;
    asked.push(request);
    const file = files.get(path);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Length': file.length });
    if (halved.has(path) && request.method === 'GET')
      response.write(file.subarray(0, file.length / 2), () => response.destroy());
    else response.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { feed: `http://127.0.0.1:${port}/releases.json`, files, halved, asked, close: () => server.close() };
}
