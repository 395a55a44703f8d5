import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { createHeliumClient, type HeliumClient } from '@portal/platforms/helium/client';
import type { ReachabilityTimes } from '@portal/platforms/reachability';
import type { EnvironmentConfig } from '../config.ts';

/** A configured environment with the client of its platform. */
export interface ServedEnvironment extends Omit<EnvironmentConfig, 'helium'> {
  readonly helium: HeliumClient;
}

export interface PlatformTimes {
  /** The limit per call. */
  readonly timeoutMs: number;
  readonly reachability?: ReachabilityTimes;
}

/** Provides the configured platforms; the portal calls no others. */
export class Environments {
  readonly all: readonly ServedEnvironment[];
  readonly #byName: ReadonlyMap<string, ServedEnvironment>;
  readonly #byBaseUrl: ReadonlyMap<string, ServedEnvironment>;

  constructor(configured: readonly EnvironmentConfig[], times: PlatformTimes) {
    this.all = configured.map((environment) => {
      const { baseUrl, timeZone, helium: dialect } = environment;
      return { ...environment, helium: createHeliumClient({ baseUrl, timeZone, dialect, ...times }) };
    });
    this.#byName = new Map(this.all.map((environment) => [environment.name, environment]));
    this.#byBaseUrl = new Map(this.all.map((environment) => [normalize(environment.baseUrl), environment]));
  }

  find(name: string): ServedEnvironment | undefined {
    return this.#byName.get(name);
  }

  stop(): void {
    for (const { helium } of this.all) helium.close();
  }

  #findByBaseUrl(baseUrl: string): ServedEnvironment | undefined {
    return this.#byBaseUrl.get(baseUrl) ?? this.#byBaseUrl.get(normalize(baseUrl));
  }

  /** Throws Invalid if the address or name is not configured. */
  require({
    baseUrl,
    name,
  }: {
    readonly baseUrl?: string | undefined;
    readonly name?: string | undefined;
  }): ServedEnvironment {
    const byBaseUrl = baseUrl === undefined ? undefined : this.#findByBaseUrl(baseUrl);
    if (baseUrl !== undefined && !byBaseUrl) throw new Invalid('There is no environment with this base URL.');
    const byName = name === undefined ? undefined : this.#byName.get(name);
    if (name !== undefined && !byName) throw new Invalid(`There is no environment ${shortenValue(name)}.`);
    if (byBaseUrl && byName && byBaseUrl !== byName)
      throw new Invalid('The base URL and the environment belong to different platforms.');
    const only = this.all.length === 1 ? this.all[0] : undefined;
    const found = byBaseUrl ?? byName ?? only;
    if (!found) throw new Invalid('The environment is missing. Send its baseUrl.');
    return found;
  }
}

/** Normalizes an address, ignoring the host's case and a trailing slash. */
function normalize(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).href.replace(/\/+$/, '') : baseUrl;
}
