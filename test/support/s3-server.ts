/**
 * A real S3 server for tests: moto, from the Python that `npm run setup` has set up. It ends with the process that
 * started it.
 */
import { spawn } from 'node:child_process';
import { hasS3Server, s3ServerPython } from '../../scripts/s3-server.ts';

export interface S3Server {
  /** Without a slash at its end. */
  readonly url: string;
  close(): void;
}

/**
 * Whether this machine has the server. If Python's packages cannot be reached either, these tests are left out, and say
 * so.
 */
export const S3_SERVER_IS_HERE = hasS3Server();

if (!S3_SERVER_IS_HERE)
  console.warn('No S3 server is here (npm run setup installs it): the tests of buckets are left out.');

/** It listens until its standard input ends. */
const PROGRAM = `
import logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
`;

/** Starts a server on the loopback address, with nothing in it. */
export async function startS3Server(): Promise<S3Server> {
  const server = spawn(s3ServerPython(), ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (line: Buffer) => resolve(line.toString('utf8').trim()));
    server.once('exit', (code) => reject(new Error(`The S3 server ended with ${code}: npm run setup installs it.`)));
    server.once('error', reject);
  });
  return { url: `http://127.0.0.1:${port}`, close: () => server.stdin.end() };
}
