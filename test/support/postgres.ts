import { createHash } from 'node:crypto';
import { storeAddress, type StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { clusterSocket } from './postgres-cluster.ts';

/** The address of a store of its own for each name, such as the folder that a test would have on SQLite. */
export function postgresUrl(name: string, socket = clusterSocket()): string {
  const schema = `s${createHash('sha256').update(name).digest('hex').slice(0, 20)}`;
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socket)}&schema=${schema}`;
}

/** The same, taken apart. */
export function postgresAddress(name: string, socket?: string): StoreAddress {
  const address = storeAddress(postgresUrl(name, socket));
  if (!address.ok) throw new Error(address.error.message);
  return address.value;
}

/** The same over TCP, for example through a proxy at this port. */
export function throughPort(name: string, port: number): StoreAddress {
  return addressThrough(postgresAddress(name), port);
}

/** The same for an address. */
export function addressThrough({ connection, schema }: StoreAddress, port: number): StoreAddress {
  const url = new URL(connection);
  url.host = `127.0.0.1:${port}`;
  url.searchParams.delete('host');
  url.searchParams.set('schema', schema);
  const address = storeAddress(url.href);
  if (!address.ok) throw new Error(address.error.message);
  return address.value;
}
