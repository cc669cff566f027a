/** Serves sound files of any size from memory: `/NAME-BYTES.wav`. Prints its base URL as one line of JSON. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const HEADER_BYTES = 44;
const SAMPLES = Buffer.alloc(1 << 18, 'a quiet night over the harbour ');

function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(bytes - 8, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(44_100, 24);
  header.writeUInt32LE(88_200, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes - HEADER_BYTES, 40);
  return header;
}

function sendFile(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'Content-Type': 'audio/wav', 'Content-Length': bytes, ETag: `"${bytes}"` });
  response.write(wavHeader(bytes));
  let left = bytes - HEADER_BYTES;
  const sendMore = (): void => {
    while (left > 0) {
      const chunk = left >= SAMPLES.length ? SAMPLES : SAMPLES.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', sendMore);
        return;
      }
    }
    response.end();
  };
  sendMore();
}

const server = createServer((request, response) => {
  const bytes = Number(/-(\d+)\.wav$/.exec(request.url ?? '')?.[1]);
  if (bytes > HEADER_BYTES) sendFile(response, bytes);
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
