/** The client through which the portal asks Jira, in the cloud or one's own, for its projects. */
import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { z } from 'zod';
import { type JiraAddress, readJson } from './read-json.ts';
import { JiraProject, JiraProjectPage } from './wire.ts';

export interface JiraOptions {
  readonly baseUrl: string;
  /** `cloud` pages its list, `server` (and Data Center) sends it whole. */
  readonly flavour: 'cloud' | 'server';
  /** With it the token is sent by Basic, as the cloud wants it; without it as a Bearer. */
  readonly user?: string | undefined;
  readonly token: Secret;
  /** For each answer; 10 s when left out. */
  readonly timeoutMs?: number;
}

const pageSize = 50;
/** A list that goes on for longer than this goes on for ever. */
const maxProjects = 20_000;

/** All projects the token sees, archived ones left out. Throws Unreachable. */
export async function fetchJiraProjects(options: JiraOptions): Promise<JiraProject[]> {
  const { baseUrl, flavour, timeoutMs = 10_000 } = options;
  const address = { baseUrl, timeoutMs, authorization: toAuthorization(options) };
  const projects =
    flavour === 'cloud'
      ? await readPages(address)
      : await readJson(address, '/rest/api/2/project', z.array(JiraProject));
  return projects.filter(({ archived }) => !archived);
}

/** Pages are counted on from what came: Jira may send fewer than were asked for. */
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
