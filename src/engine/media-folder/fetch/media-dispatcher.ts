import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import { createAddressPolicy } from './media-address.ts';

/** The connection was closed before a byte of the request was written: its address is not allowed. */
export class ForbiddenAddressError extends Error {
  readonly address: string;

  constructor(host: string, address: string) {
    super(`${host} is at ${address}, an address inside a private network`);
    this.name = 'ForbiddenAddressError';
    this.address = address;
  }
}

const CONNECT_TIMEOUT_MS = 20_000;

/**
 * A dispatcher for downloads under one profile. It checks the address of the connected socket, because a literal
 * address never reaches a lookup hook and a name may change its address in between; TLS starts only after that.
 */
export function createMediaDispatcher(profile: Profile): Dispatcher {
  const mayBeAt = createAddressPolicy(profile);
  // Whatever the environment says, a file comes only from a host with a valid certificate.
  const connectPlain = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, rejectUnauthorized: true });

  const connect: buildConnector.connector = (options, callback) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? '443' : '80') : options.port;
    connectPlain({ ...options, protocol: 'http:', port }, (error, socket) => {
      if (error) return callback(error, null);
      const address = socket.remoteAddress ?? 'unknown';
      if (!mayBeAt(new URL(`${options.protocol}//${options.host ?? options.hostname}`), address)) {
        socket.destroy();
        return callback(new ForbiddenAddressError(options.hostname, address), null);
      }
      if (!isTls) return callback(null, socket);
      return connectPlain({ ...options, port, httpSocket: socket }, callback);
    });
  };

  return new Agent({
    connect,
    pipelining: 1,
    connections: 16,
    // The download itself enforces deadlines, on its own clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
