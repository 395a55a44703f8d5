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
  /** By name. */
  readonly teams: readonly Team[];
  /** Why these may not be the newest; null when they are. */
  readonly problem: string | null;
}

const keptMs = 10 * 60_000;
const retryMs = 30_000;

/** The teams that release, and their projects: as configured, or as Jira had them last. */
export class TeamDirectory {
  readonly #jira: JiraConfig | undefined;
  readonly #logger: Logger;
  readonly #now: () => number;
  #known: readonly Team[] | undefined;
  #problem: Unreachable | undefined;
  /** Jira is not asked before. */
  #askAt = 0;
  #asking: Promise<void> | undefined;

  /** @param now Milliseconds of a clock that only goes forward. */
  constructor({ teams, jira }: DeploymentsConfig, logger: Logger, now = () => performance.now()) {
    this.#jira = jira;
    this.#logger = logger;
    this.#now = now;
    if (!jira) this.#known = teams.toSorted(byName);
  }

  /** Throws Unreachable while Jira does not answer and never did. */
  async read(): Promise<Teams> {
    if (this.#jira && this.#now() >= this.#askAt) {
      this.#asking ??= this.#ask(this.#jira).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    if (this.#known) return { teams: this.#known, problem: this.#problem?.message ?? null };
    throw this.#problem ?? new Unreachable('Jira was not asked for the teams yet.');
  }

  async #ask(jira: JiraConfig): Promise<void> {
    try {
      this.#known = teamsOf(await fetchJiraProjects(jira), jira.teams);
      this.#problem = undefined;
      this.#askAt = this.#now() + keptMs;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.#problem = error;
      this.#askAt = this.#now() + (error instanceof JiraBusy ? error.retryAfterSeconds * 1000 : retryMs);
      this.#logger.warn({ reason: error.message }, 'teams and projects could not be read');
    }
  }
}

/** Teams as mapped, otherwise one for each category of projects. */
function teamsOf(projects: readonly JiraProject[], mapped: JiraConfig['teams']): Team[] {
  const named = projects.map(({ key, name }) => ({ key, name })).toSorted(byName);
  if (mapped) {
    return mapped
      .map(({ name, projectKeys }) => ({ name, projects: named.filter(({ key }) => projectKeys.includes(key)) }))
      .toSorted(byName);
  }
  const categoryOf = new Map(projects.map(({ key, projectCategory }) => [key, projectCategory?.name]));
  const categories = new Set([...categoryOf.values()].filter((name) => name !== undefined));
  return [...categories]
    .map((name) => ({ name, projects: named.filter(({ key }) => categoryOf.get(key) === name) }))
    .toSorted(byName);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name.localeCompare(other.name, 'en');
}
