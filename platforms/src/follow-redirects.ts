const maxRedirects = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface FollowOptions {
  readonly method?: 'GET' | 'HEAD';
  /** Sent to the first host only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Other hosts that redirects may lead to, with a port where it is not the usual one. */
  readonly hosts?: readonly string[];
}

export interface Followed {
  /** The last response; a redirect when it was not followed. */
  readonly response: Response;
  /** The host that the response redirects to, and that may not be followed. */
  readonly refusedHost: string | null;
  /** The headers of the redirects before it. */
  readonly redirects: readonly Headers[];
}

/**
 * Fetches an address, and follows up to five redirects: within its host, and to the listed hosts.
 * No redirect leads from https to http. Another host receives none of the headers, and neither does
 * what it redirects to: it must not choose calls that are made with credentials.
 */
export async function fetchWithRedirects(
  address: string,
  { method = 'GET', headers = {}, signal, hosts = [] }: FollowOptions,
): Promise<Followed> {
  const first = new URL(address);
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const redirects: Headers[] = [];
  let url = first;
  let isTrusted = true;
  for (;;) {
    const response: Response = await fetch(url.href, {
      method,
      headers: isTrusted ? headers : {},
      redirect: 'manual',
      signal,
    });
    const next: URL | undefined = redirectStatuses.has(response.status)
      ? resolve(response.headers.get('location'), url)
      : undefined;
    if (!next) return { response, refusedHost: null, redirects };
    const isSameHost = next.host === first.host;
    const isDowngrade = url.protocol === 'https:' && next.protocol !== 'https:';
    if (isDowngrade || !(isSameHost || allowed.has(next.host)) || redirects.length === maxRedirects)
      return { response, refusedHost: next.host, redirects };
    await response.body?.cancel();
    redirects.push(response.headers);
    isTrusted &&= isSameHost;
    url = next;
  }
}

/** Returns undefined when the location is missing or is no web address. */
function resolve(location: string | null, base: URL): URL | undefined {
  if (location === null || !URL.canParse(location, base.href)) return undefined;
  const url = new URL(location, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  // `fetch` refuses an address with credentials, and quotes it.
  url.username = '';
  url.password = '';
  return url;
}
