/**
 * Decides which hosts besides Journey's own files are downloaded from. Addresses are checked when
 * connecting, after DNS resolution: a name cannot lead to an internal service. Behind a proxy only
 * the names are checked; see `explainUncheckedHosts`.
 */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { createOutgoingDispatcher } from '../outgoing/dispatcher.ts';
import { findProxy } from '../outgoing/find-proxy.ts';
import { isInternal, isWithin, toAddressList } from '../outgoing/network-addresses.ts';
import type { SendRequest } from './call.ts';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

export const fileHostsSetting = 'sync.fileHosts';

/** An internal address that is not listed. Thrown while connecting. */
export class InternalAddress extends Error {}

export interface FileHosts {
  /** Returns why a file must not be downloaded from this address; undefined when it may be. */
  findProblem(url: URL): string | undefined;
  /** Makes a call to one of these hosts. */
  readonly request: SendRequest;
}

/**
 * @param listed hosts, with their port unless it is the protocol's default port, and the internal
 * addresses and ranges, such as 10.1.0.0/16, that names among them may lead to
 */
export function createFileHosts(listed: readonly string[], resolve: Resolve = lookup): FileHosts {
  const hosts = new Set(listed.map((entry) => entry.toLowerCase()));
  const addresses = toAddressList(listed);
  const isAllowed = (address: string) => !isInternal(address) || isWithin(addresses, address);
  const connections = new Agent({ connect: { lookup: createLookup(isAllowed, resolve) } });
  const proxied = createOutgoingDispatcher();
  return {
    findProblem({ protocol, host }) {
      if (protocol !== 'https:' && protocol !== 'http:') return 'its address is not a web address';
      if (hosts.has(host)) return undefined;
      return `it is stored at ${host}, which the setting ${fileHostsSetting} does not list`;
    },
    // A proxy resolves the names itself, so their addresses cannot be checked.
    request: (url, options) => request(url, { dispatcher: findProxy(String(url)) ? proxied : connections, ...options }),
  };
}

/** Returns what cannot be checked of the listed hosts; null when there is nothing. */
export function explainUncheckedHosts(listed: readonly string[], environment = process.env): string | null {
  const names = listed.filter((entry) => isIP(entry.replace(/\/.*$/, '')) === 0);
  const unchecked = names.filter((name) => findProxy(`https://${name}`, environment) !== null);
  if (unchecked.length === 0) return null;
  const hosts = unchecked.join(', ');
  return `Files of ${hosts} are downloaded through a proxy, which resolves the names: the portal cannot check that they lead to no internal address. Let the proxy refuse internal addresses, or list the hosts in NO_PROXY. See ${fileHostsSetting}.`;
}

/** Refuses a name when one of its addresses is refused, so that the next attempt cannot use it. */
function createLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const refused = found.find(({ address }) => !isAllowed(address));
      if (refused) return callback(new InternalAddress(refused.address), []);
      if (options.all) return callback(null, found);
      const [first] = found;
      return first
        ? callback(null, first.address, first.family)
        : callback(new Error(`${hostname} has no address`), []);
    });
  };
}
