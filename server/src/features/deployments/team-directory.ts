import type { Project } from '@portal/contract/deployments';
import type { Logger } from '@portal/kit/logger';
import { Unreachable } from '@portal/kit/problems';
import { fetchJiraProjects } from '@portal/platforms/projects/client';
import { JiraBusy } from '@portal/platforms/projects/read-json';
import type { JiraProject } from '@portal/platforms/projects/wire';
import type { DeploymentsConfig, JiraConfig } from './deployments.config.ts';

export interface Team {
  readonly name: string;
  readonly projects: readonly Project[];
}

export interface Teams {
  /** Sorted by name. */
  readonly teams: readonly Team[];
  /** Why the list may be outdated; null if it is current. */
  readonly problem: string | null;
}

const ttlMs = 10 * 60_000;
const retryMs = 30_000;

/** Provides teams and their projects, from the configuration or from Jira. */
export class TeamDirectory {
  readonly #jira: JiraConfig | undefined;
  readonly #logger: Logger;
  readonly #now: () => number;
  #teams: readonly Team[] | undefined;
  #problem: Unreachable | undefined;
  /** Earliest time of the next request to Jira. */
  #nextFetchAt = 0;
  #fetching: Promise<void> | undefined;

  /** @param now Milliseconds of a monotonic clock. */
  constructor({ teams, jira }: DeploymentsConfig, logger: Logger, now = () => performance.now()) {
    this.#jira = jira;
    this.#logger = logger;
    this.#now = now;
    if (!jira) this.#teams = teams.toSorted(byName);
  }

  /** Throws Unreachable if Jira does not respond and never has. */
  async read(): Promise<Teams> {
    if (this.#jira && this.#now() >= this.#nextFetchAt) {
      this.#fetching ??= this.#fetch(this.#jira).finally(() => {
        this.#fetching = undefined;
      });
      await this.#fetching;
    }
    if (this.#teams) return { teams: this.#teams, problem: this.#problem?.message ?? null };
    throw this.#problem ?? new Unreachable('The teams have not been loaded from Jira yet.');
  }

  async #fetch(jira: JiraConfig): Promise<void> {
    try {
      this.#teams = toTeams(await fetchJiraProjects(jira), jira.teams);
      this.#problem = undefined;
      this.#nextFetchAt = this.#now() + ttlMs;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.#problem = error;
      this.#nextFetchAt = this.#now() + (error instanceof JiraBusy ? error.retryAfterSeconds * 1000 : retryMs);
      this.#logger.warn({ reason: error.message, err: error.cause }, 'could not read teams and projects from Jira');
    }
  }
}

/** Builds the configured teams, or one team per project category. */
function toTeams(projects: readonly JiraProject[], mapped: JiraConfig['teams']): Team[] {
  const named = projects.map(({ key, name }) => ({ key, name })).toSorted(byName);
  if (mapped) {
    return mapped
      .map(({ name, projectKeys }) => ({ name, projects: named.filter(({ key }) => projectKeys.includes(key)) }))
      .toSorted(byName);
  }
  const categoryByKey = new Map(projects.map(({ key, projectCategory }) => [key, projectCategory?.name]));
  const categories = new Set([...categoryByKey.values()].filter((name) => name !== undefined));
  return [...categories]
    .map((name) => ({ name, projects: named.filter(({ key }) => categoryByKey.get(key) === name) }))
    .toSorted(byName);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name.localeCompare(other.name, 'en');
}
