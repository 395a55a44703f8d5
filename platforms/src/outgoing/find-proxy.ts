/** Which proxy a call goes through, by the variables that most programs read. */
import { isIP } from 'node:net';
import { toRequestTarget } from '@portal/kit/web-address';
import { isWithin, toAddressList } from './network-addresses.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OutgoingProxy {
  /** Without credentials. */
  readonly url: string;
  /** Host and port, for people. */
  readonly host: string;
  /** The value of `Proxy-Authorization`; undefined without credentials. */
  readonly authorization: string | undefined;
}

/** A variable that names no proxy. Its message never has the value, which may hold a password. */
export class ProxyProblem extends Error {}

/**
 * Returns the proxy for calls to an address; null when they go directly. `HTTPS_PROXY` counts for
 * https and wss, `HTTP_PROXY` for http and ws, in lower case first. `NO_PROXY` lists hosts that are
 * called directly, with all hosts below them: names, addresses or ranges, with or without a port,
 * or `*`. This machine itself is never called through a proxy. Throws a ProxyProblem.
 */
export function findProxy(address: string, environment: Environment = process.env): OutgoingProxy | null {
  const { protocol, hostname, port } = new URL(address);
  const isEncrypted = protocol === 'https:' || protocol === 'wss:';
  const variable = isEncrypted ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = readVariable(environment, variable);
  if (value === '') return null;
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const isDirect =
    isThisMachine(host) || isListed(readVariable(environment, 'NO_PROXY'), host, port || defaultPort(isEncrypted));
  return isDirect ? null : parseProxy(variable, value);
}

/** Returns the value of a variable in either case; '' when it is not set. */
export function readVariable(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] || environment[name] || '').trim();
}

/** Returns the proxies that variables name, by variable. Throws a ProxyProblem. */
export function listProxies(environment: Environment = process.env): ReadonlyMap<string, OutgoingProxy> {
  return new Map(
    ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((variable): [string, OutgoingProxy][] => {
      const value = readVariable(environment, variable);
      return value === '' ? [] : [[variable, parseProxy(variable, value)]];
    }),
  );
}

/** A value without a protocol, such as `proxy.example.com:3128`, is one of http. */
function parseProxy(variable: string, value: string): OutgoingProxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(address) || !/^https?:/i.test(address))
    throw new ProxyProblem(`${variable} is not the address of an http or https proxy.`);
  const { url, headers } = toRequestTarget(address);
  const { protocol, hostname, port } = new URL(url);
  return {
    url,
    host: `${hostname}:${port || defaultPort(protocol === 'https:')}`,
    authorization: headers.authorization,
  };
}

function defaultPort(isEncrypted: boolean): string {
  return isEncrypted ? '443' : '80';
}

function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function isListed(list: string, host: string, port: string): boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries.includes('*')) return true;
  if (isIP(host) !== 0 && isWithin(toAddressList(entries.filter(isAddressRange)), host)) return true;
  return entries.some((entry) => {
    const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
    const listed = name.replace(/^\*?\./, '').replace(/^\[(.*)\]$/, '$1');
    const isNamed = listed !== '' && (host === listed || host.endsWith(`.${listed}`));
    return isNamed && (onlyPort === undefined || onlyPort === port);
  });
}

function isAddressRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const max = isIP(address) === 4 ? 32 : 128;
  return (
    isIP(address) !== 0 && bits !== undefined && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= max
  );
}
