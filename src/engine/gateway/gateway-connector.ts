import { buildConnector } from 'undici';
import { mayCarryPlainHttp } from '../../shared/domain/gateway/hosts.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to a gateway. Whatever the environment says, the key goes only to who can prove to be the gateway; where plain
 * http leads is known only of the connected socket: a name may lead anywhere, and elsewhere the next time.
 */
export function gatewayConnector({ allowPlainHttp }: Profile): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, rejectUnauthorized: true });
  return (options, callback) => {
    if (options.protocol === 'https:') {
      connect(options, callback);
      return;
    }
    connect(options, (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const address = socket.remoteAddress ?? 'an unknown address';
      if (mayCarryPlainHttp(address, allowPlainHttp)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new Error(`plain http would send the key unencrypted to ${address}; use https`), null);
    });
  };
}
