import type { JiraProject } from '@portal/platforms/projects/wire';
import type { FastifyInstance } from 'fastify';

interface ProjectRoutes {
  readonly flavor: 'cloud' | 'server';
  readonly user: string | undefined;
  /** The maximum page size, whatever the request asks for. */
  readonly pageSize: number;
  readonly getProjects: () => readonly JiraProject[];
  readonly getBaseUrl: () => string;
}

interface PageQuery {
  readonly startAt?: string;
  readonly maxResults?: string;
}

/** Returns the routes of a version of the REST API: server, user, projects and categories. */
export function createProjectRoutes({ flavor, user = 'portal', pageSize, getProjects, getBaseUrl }: ProjectRoutes) {
  return (version: number) => async (server: FastifyInstance) => {
    const address = () => `${getBaseUrl()}/rest/api/${version}`;
    const listCategories = () => [
      ...new Set(getProjects().flatMap(({ projectCategory }) => projectCategory?.name ?? [])),
    ];
    const describeCategory = (name: string) => {
      const id = String(20_000 + listCategories().indexOf(name));
      return { self: `${address()}/projectCategory/${id}`, id, name, description: '' };
    };
    const describe = ({ projectCategory, ...project }: JiraProject, index: number) => ({
      expand: 'description,lead,issueTypes,url,projectKeys',
      self: `${address()}/project/${10_000 + index}`,
      id: String(10_000 + index),
      projectTypeKey: 'software',
      avatarUrls: {},
      ...project,
      ...(projectCategory && { projectCategory: describeCategory(projectCategory.name) }),
    });

    server.get('/serverInfo', () => ({
      baseUrl: getBaseUrl(),
      version: flavor === 'cloud' ? '1001.0.0-SNAPSHOT' : '9.12.0',
      versionNumbers: flavor === 'cloud' ? [1001, 0, 0] : [9, 12, 0],
      deploymentType: flavor === 'cloud' ? 'Cloud' : 'Server',
      buildNumber: 912_000,
      serverTitle: 'Jira',
    }));
    server.get('/myself', () => ({
      self: `${address()}/user`,
      ...(flavor === 'cloud' ? { accountId: '5b10a2844c20165700ede21g', accountType: 'atlassian' } : { name: user }),
      emailAddress: user,
      displayName: 'Portal',
      active: true,
      timeZone: 'Etc/UTC',
    }));
    server.get('/project', () => getProjects().map(describe));
    server.get('/projectCategory', () => listCategories().map(describeCategory));
    server.get<{ Params: { idOrKey: string } }>('/project/:idOrKey', ({ params: { idOrKey } }, reply) => {
      const found = getProjects()
        .map(describe)
        .find(({ id, key }) => id === idOrKey || key === idOrKey);
      if (found) return found;
      return reply.code(404).send({ errorMessages: [`No project could be found with key '${idOrKey}'.`], errors: {} });
    });
    if (flavor !== 'cloud') return;
    server.get<{ Querystring: PageQuery }>('/project/search', ({ query, url }) => {
      const startAt = Number(query.startAt ?? 0);
      const maxResults = Math.min(Number(query.maxResults ?? 50), pageSize);
      const end = startAt + maxResults;
      const projects = getProjects().map(describe);
      const isLast = end >= projects.length;
      return {
        self: getBaseUrl() + url,
        ...(!isLast && { nextPage: `${address()}/project/search?startAt=${end}&maxResults=${maxResults}` }),
        maxResults,
        startAt,
        total: projects.length,
        isLast,
        values: projects.slice(startAt, end),
      };
    });
  };
}
