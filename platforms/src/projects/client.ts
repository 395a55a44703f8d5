/** The client with which the portal reads projects from Jira, in the cloud or self-hosted. */
import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { z } from 'zod';
import { type JiraAddress, readJson } from './read-json.ts';
import { JiraProject, JiraProjectPage } from './wire.ts';

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
}

const pageSize = 50;
/** A longer list is treated as endless. */
const maxProjects = 20_000;

/** Returns all projects visible to the token, except archived ones. Throws Unreachable. */
export async function fetchJiraProjects(options: JiraOptions): Promise<JiraProject[]> {
  const { baseUrl, flavor, timeoutMs = 10_000 } = options;
  const address = { baseUrl, timeoutMs, authorization: toAuthorization(options) };
  const projects =
    flavor === 'cloud'
      ? await readPages(address)
      : await readJson(address, '/rest/api/2/project', z.array(JiraProject));
  return projects.filter(({ archived }) => !archived);
}

/** Advances by the number of projects received, because Jira may send fewer than requested. */
async function readPages(address: JiraAddress): Promise<JiraProject[]> {
  const byKey = new Map<string, JiraProject>();
  for (let startAt = 0; startAt < maxProjects; ) {
    const path = `/rest/api/3/project/search?startAt=${startAt}&maxResults=${pageSize}&orderBy=key`;
    const page = await readJson(address, path, JiraProjectPage);
    for (const project of page.values) byKey.set(project.key, project);
    startAt += page.values.length;
    if (page.isLast || page.values.length === 0) return [...byKey.values()];
  }
  throw new Unreachable(`Jira ${new URL(address.baseUrl).host} has more than ${maxProjects} projects.`);
}

function toAuthorization({ user, token }: JiraOptions): string {
  if (user === undefined) return `Bearer ${token.reveal()}`;
  return `Basic ${Buffer.from(`${user}:${token.reveal()}`, 'utf8').toString('base64')}`;
}
