import { secretText } from '@portal/kit/config';
import { z } from 'zod';

const project = z.strictObject({
  key: z.string().min(1).meta({ example: 'STOCK' }),
  name: z.string().min(1).meta({ example: 'Stock Visibility' }),
});

const jira = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .meta({ description: 'Its address.', example: 'https://example.atlassian.net' }),
  flavour: z.enum(['cloud', 'server']).default('cloud').describe('`server` is Data Center too.'),
  user: z.string().min(1).optional().meta({
    description: 'Whose token it is, in the cloud; left out for a personal access token of Server or Data Center.',
    example: 'portal@example.com',
  }),
  token: secretText.meta({ description: 'An API token that sees the projects.', example: `\${JIRA_TOKEN}` }),
  teams: z
    .array(
      z.strictObject({
        name: z.string().min(1).meta({ example: 'Health Team' }),
        projectKeys: z.array(z.string().min(1)).meta({ example: ['STOCK', 'COLD'] }),
      }),
    )
    .optional()
    .describe('Which projects are of which team; without it a team is a category of projects.'),
});
export type JiraConfig = z.infer<typeof jira>;

/** The settings of deployments. */
export const deploymentsConfig = z
  .strictObject({
    sourceControlPrefix: z
      .url({ protocol: /^https?$/ })
      // Without it, addresses of hosts whose names only begin so would pass.
      .transform((prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`))
      .prefault('https://bitbucket.org/')
      .describe('What the address of a tag must begin with.'),
    teams: z
      .array(
        z.strictObject({
          name: z.string().min(1).meta({ example: 'Health Team' }),
          projects: z.array(project).describe('Its projects.'),
        }),
      )
      .optional()
      .default([])
      .describe('The teams that release, and their projects, where they do not come from Jira.'),
    jira: jira.optional().describe('Where teams and projects come from; it comes before `teams`.'),
  })
  .prefault({})
  .describe('Deployments: where releases and projects are.');
export type DeploymentsConfig = z.infer<typeof deploymentsConfig>;
