import { describeConnectionFailure } from '../connection-failure.ts';
import { explainUncheckedHosts } from '../journey/file-hosts.ts';
import { findProxy, listProxies, ProxyProblem, readVariable } from '../outgoing/find-proxy.ts';
import { openTunnel, toTunnelTarget } from '../outgoing/open-tunnel.ts';
import type { Section } from './report.ts';

/** A system that the portal calls. */
export interface OutgoingTarget {
  readonly name: string;
  /** Only its protocol, host and port are used. */
  readonly url: string;
}

interface Options {
  readonly fileHosts: readonly string[];
  readonly timeoutMs: number;
}

/** Examines the proxies that variables name, and whether they let the portal reach each system. */
export async function examineProxies(
  targets: readonly OutgoingTarget[],
  { fileHosts, timeoutMs }: Options,
): Promise<Section> {
  const title = 'Proxy for outgoing calls';
  try {
    const proxies = [...listProxies()];
    if (proxies.length === 0)
      return { title, lines: ['Neither HTTPS_PROXY nor HTTP_PROXY is set: all calls go directly.'], isGood: true };
    const results = await Promise.all(targets.map((target) => examineTarget(target, timeoutMs)));
    const exceptions = readVariable(process.env, 'NO_PROXY');
    const unchecked = explainUncheckedHosts(fileHosts);
    return {
      title,
      lines: [
        ...proxies.map(([variable, { host }]) => `${variable}: ${host}`),
        exceptions === '' ? 'NO_PROXY is not set.' : `NO_PROXY: ${exceptions}`,
        ...results.map(({ line }) => line),
        ...(unchecked === null ? [] : [unchecked]),
      ],
      isGood: results.every(({ isGood }) => isGood),
    };
  } catch (error) {
    if (error instanceof ProxyProblem) return { title, lines: [error.message], isGood: false };
    throw error;
  }
}

async function examineTarget({ name, url }: OutgoingTarget, timeoutMs: number) {
  const target = toTunnelTarget(url);
  const proxy = findProxy(url);
  if (!proxy) return { line: `${name} ${target}: directly`, isGood: true };
  const way = `${name} ${target}: through ${proxy.host}`;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // The proxy forwards calls of http without a tunnel.
    if (new URL(url).protocol === 'http:') await callThroughProxy(url, signal);
    else (await openTunnel(proxy, target, signal)).destroy();
    return { line: way, isGood: true };
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : describeConnectionFailure(error);
    return { line: `${way}, which fails: ${reason}`, isGood: false };
  }
}

/** Any answer shows that the call gets through. */
async function callThroughProxy(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(new URL(url).origin, { method: 'HEAD', redirect: 'manual', signal });
  await response.body?.cancel();
}
