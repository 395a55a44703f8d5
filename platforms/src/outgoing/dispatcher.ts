/**
 * Makes outgoing HTTP calls directly or through a proxy, by the variables of the process at the
 * time of the call.
 */
import { Agent, Dispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { findProxy, type OutgoingProxy } from './find-proxy.ts';

/**
 * Sends each call directly or through a proxy. Calls of http are forwarded by the proxy, which may
 * not allow tunnels to port 80; calls of https go through a tunnel.
 */
class OutgoingDispatcher extends Dispatcher {
  readonly #options: Agent.Options;
  readonly #directHosts: ReadonlySet<string>;
  readonly #direct: Agent;
  readonly #proxies = new Map<string, ProxyAgent>();

  constructor(options: Agent.Options, directHosts: ReadonlySet<string>) {
    super();
    this.#options = options;
    this.#directHosts = directHosts;
    this.#direct = new Agent(options);
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin ?? '');
    const proxy = this.#directHosts.has(new URL(origin).host) ? null : findProxy(origin);
    return (proxy ? this.#getProxyAgent(proxy) : this.#direct).dispatch(options, handler);
  }

  #getProxyAgent({ url, authorization }: OutgoingProxy): ProxyAgent {
    const key = `${authorization ?? ''} ${url}`;
    const known = this.#proxies.get(key);
    if (known) return known;
    const agent = new ProxyAgent({
      ...this.#options,
      uri: url,
      proxyTunnel: false,
      ...(authorization !== undefined && { token: authorization }),
    });
    this.#proxies.set(key, agent);
    return agent;
  }

  override async close(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxies.values()].map((agent) => agent.close()));
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxies.values()].map((agent) => agent.destroy()));
  }
}

export function createOutgoingDispatcher(options: Agent.Options = {}): Dispatcher {
  return new OutgoingDispatcher(options, new Set());
}

/**
 * Has every `fetch` of this process use the proxies that variables name.
 *
 * @param directHosts hosts with ports of the portal's own services, which are always called
 * directly
 */
export function useProxies(directHosts: readonly string[] = []): void {
  setGlobalDispatcher(new OutgoingDispatcher({}, new Set(directHosts)));
}
