/** The client with which the portal reads projects from Jira, in the cloud or self-hosted. */
import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { type JiraAddress, readJson } from './read-json.ts';
import { type JiraProject, JiraProjectList, JiraProjectPage } from './wire.ts';

export interface JiraOptions {
  readonly baseUrl: string;
  /** `cloud` returns the list in pages, `server` (and Data Center) in one response. */
  readonly flavor: 'cloud' | 'server';
  /**
   * With a user, the token is sent by HTTP Basic, as the cloud requires; without one, as a Bearer
   * token.
   */
  readonly user?: string | undefined;
  readonly token: Secret;
  /** The limit per response. Default: 10 s. */
  readonly timeoutMs?: number;
  /** The limit for all pages. Default: 60 s. */
  readonly maxTotalMs?: number;
}

const pageSize = 50;
/** A longer list is treated as endless. */
const maxProjects = 20_000;

/** Returns all projects visible to the token, except archived ones. Throws Unreachable. */
export async function fetchJiraProjects(options: JiraOptions): Promise<JiraProject[]> {
  const { baseUrl, flavor, timeoutMs = 10_000, maxTotalMs = 60_000 } = options;
  const address = { baseUrl, flavor, timeoutMs, authorization: toAuthorization(options) };
  const projects =
    flavor === 'cloud'
      ? await readPages(address, maxTotalMs)
      : await readJson(address, '/rest/api/2/project', JiraProjectList);
  return projects.filter(({ archived }) => !archived);
}

/**
 * Advances by the number of projects received, because Jira may send fewer than requested. A page
 * without a new project is the last one, whatever it says: something before Jira may drop the
 * query.
 */
async function readPages(address: JiraAddress, maxTotalMs: number): Promise<JiraProject[]> {
  const name = `Jira ${new URL(address.baseUrl).host}`;
  const byKey = new Map<string, JiraProject>();
  const seen = new Set<string | undefined>();
  const endMs = performance.now() + maxTotalMs;
  const tooSlow = `${name} did not send all projects within ${maxTotalMs / 1000} s.`;
  for (let startAt = 0; startAt < maxProjects; ) {
    const timeoutMs = Math.ceil(Math.min(address.timeoutMs, endMs - performance.now()));
    if (timeoutMs <= 0) throw new Unreachable(tooSlow, { timedOut: true });
    const path = `/rest/api/3/project/search?startAt=${startAt}&maxResults=${pageSize}&orderBy=key`;
    const page = readJson({ ...address, timeoutMs }, path, JiraProjectPage).catch((error: unknown) => {
      const isCut = timeoutMs < address.timeoutMs && error instanceof Unreachable && error.status === 504;
      throw isCut ? new Unreachable(tooSlow, { timedOut: true }) : error;
    });
    const { projects, keys, isLast } = await page;
    for (const project of projects) byKey.set(project.key, project);
    const isNew = keys.some((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    if (isLast || !isNew) return [...byKey.values()];
    startAt += keys.length;
  }
  throw new Unreachable(`${name} has more than ${maxProjects} projects.`);
}

function toAuthorization({ user, token }: JiraOptions): string {
  if (user === undefined) return `Bearer ${token.reveal()}`;
  return `Basic ${Buffer.from(`${user}:${token.reveal()}`, 'utf8').toString('base64')}`;
}
