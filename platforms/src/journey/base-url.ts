/**
 * The addresses of deployments: `https://{host}/api/v4/{id}/`. The id is also the user name for
 * HTTP Basic.
 */
import { isIP } from 'node:net';
import { Invalid } from '@portal/kit/problems';

const apiPath = /\/api\/v4(\/[^/]+)?$/;

/**
 * Normalizes a base URL for relative paths: it ends with the deployment's id and a slash. An
 * address without the id or without `/api/v4` is completed with the user name. Throws Invalid.
 */
export function normalizeJourneyBaseUrl(baseUrl: string, userName?: string): string {
  const url = parse(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const api = path.match(apiPath);
  if (path !== '' && !api) throw new Invalid('A Journey address ends with /api/v4/ and the id of the deployment.');
  if (api?.[1] !== undefined) return `${url.origin}${path}/`;
  if (!userName) throw new Invalid('This Journey address does not contain the id of the deployment.');
  // As path segments, these would lead outside the configured addresses.
  if (userName === '.' || userName === '..') throw new Invalid('The Journey user name is not valid.');
  return `${url.origin}${path || '/api/v4'}/${encodeURIComponent(userName)}/`;
}

/** Whether an address is below one of the configured ones. The portal calls no others. */
export function isConfiguredJourney(
  address: string,
  { journeyBaseUrls }: { readonly journeyBaseUrls: readonly string[] },
): boolean {
  return journeyBaseUrls.some((allowed) => isWithin(address, allowed));
}

/** Compares the host and whole path segments. */
function isWithin(address: string, allowed: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(allowed)) return false;
  const [url, base] = [new URL(address), new URL(allowed)];
  if (url.search !== '' || url.hash !== '') return false;
  return url.origin === base.origin && `${withoutSlash(url.pathname)}/`.startsWith(`${withoutSlash(base.pathname)}/`);
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

/**
 * Returns the name of the deployment's environment, derived from the host; the first label of an
 * unknown host.
 */
export function getJourneyEnvironment(baseUrl: string): string {
  const { hostname } = parse(baseUrl);
  const [label = ''] = hostname.split('.');
  if (/^run-testing(-|$)/.test(label)) return 'Testing';
  if (/^run-staging(-|$)/.test(label)) return 'Staging';
  if (/^run(-|$)/.test(label)) return 'Production';
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? hostname : label;
}

function parse(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw new Invalid('A Journey address has the form https://host/api/v4/id.');
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol)) throw new Invalid('A Journey address starts with https://.');
  if (url.username || url.password) throw new Invalid('A Journey address must not contain a user name or password.');
  return url;
}
