/**
 * The addresses of deployments: `https://{host}/api/v4/{id}/`, the id being the user name of HTTP
 * Basic too.
 */
import { isIP } from 'node:net';
import { Invalid } from '@portal/kit/problems';

const apiPath = /\/api\/v4(\/[^/]+)?$/;

/**
 * As relative paths want it: with the deployment's id and a slash at its end. An address that stops
 * before the id, or before `/api/v4`, is completed by the user name. Throws Invalid.
 */
export function normaliseJourneyBaseUrl(baseUrl: string, userName?: string): string {
  const url = parse(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const api = path.match(apiPath);
  if (path !== '' && !api) throw new Invalid('A Journey address ends in /api/v4/ and the id of the deployment.');
  if (api?.[1] !== undefined) return `${url.origin}${path}/`;
  if (!userName) throw new Invalid('This Journey address lacks the id of the deployment.');
  // As steps in a path they would lead out of the addresses that are configured.
  if (userName === '.' || userName === '..') throw new Invalid('The Journey user name is none.');
  return `${url.origin}${path || '/api/v4'}/${encodeURIComponent(userName)}/`;
}

/** Whether an address is below one of those configured: the portal calls no others. */
export function isConfiguredJourney(
  address: string,
  { journeyBaseUrls }: { readonly journeyBaseUrls: readonly string[] },
): boolean {
  return journeyBaseUrls.some((allowed) => isWithin(address, allowed));
}

/** The same host, and whole steps of the path. */
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
 * What people call the deployment's environment, told by its host; an unknown host is called by its
 * first label.
 */
export function journeyEnvironmentOf(baseUrl: string): string {
  const { hostname } = parse(baseUrl);
  const [label = ''] = hostname.split('.');
  if (/^run-testing(-|$)/.test(label)) return 'Testing';
  if (/^run-staging(-|$)/.test(label)) return 'Staging';
  if (/^run(-|$)/.test(label)) return 'Production';
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? hostname : label;
}

function parse(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw new Invalid('A Journey address is written https://host/api/v4/id.');
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol)) throw new Invalid('A Journey address begins with https://.');
  if (url.username || url.password) throw new Invalid('A Journey address carries no user name or password.');
  return url;
}
