import { maxReleaseStepLength } from '@portal/contract/release-page';
import { secretText } from '@portal/kit/config';
import { webAddress } from '@portal/kit/web-address';
import { z } from 'zod';

const project = z.strictObject({
  key: z.string().min(1).meta({ example: 'STOCK' }),
  name: z.string().min(1).meta({ example: 'Stock Visibility' }),
});

const jira = z.strictObject({
  baseUrl: webAddress.meta({ description: 'Address of Jira.', example: 'https://example.atlassian.net' }),
  flavor: z.enum(['cloud', 'server']).default('cloud').describe('`cloud`, or `server` for Server and Data Center.'),
  user: z.string().min(1).optional().meta({
    description: 'User of the token, for Jira Cloud; omit for a personal access token of Server or Data Center.',
    example: 'portal@example.com',
  }),
  token: secretText.meta({ description: 'API token that can view the projects.', example: `\${JIRA_TOKEN}` }),
  teams: z
    .array(
      z.strictObject({
        name: z.string().min(1).meta({ example: 'Health Team' }),
        projectKeys: z.array(z.string().min(1)).meta({ example: ['STOCK', 'COLD'] }),
      }),
    )
    .optional()
    .describe('Projects of each team; if omitted, each project category is a team.'),
});
export type JiraConfig = z.infer<typeof jira>;

/** Deployment settings. */
export const deploymentsConfig = z
  .strictObject({
    sourceControlPrefix: webAddress
      // Without the slash, hosts whose names merely start with the prefix would pass.
      .transform((prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`))
      .prefault('https://bitbucket.org/')
      .describe(
        'Prefix that every tag URL must start with. Tag URLs have the form of Bitbucket Cloud, `{workspace}/{repository}/commits/tag/{name}`; Bitbucket Data Center has another one, which is not accepted.',
      ),
    teams: z
      .array(
        z.strictObject({
          name: z.string().min(1).meta({ example: 'Health Team' }),
          projects: z.array(project).describe("The team's projects."),
        }),
      )
      .optional()
      .default([])
      .describe('Teams that release and their projects, if they do not come from Jira.'),
    steps: z
      .array(z.string().trim().min(1).max(maxReleaseStepLength))
      .refine((steps) => new Set(steps).size === steps.length, 'two steps have the same text')
      .default(['Users informed', 'Tag deployed', 'Apps checked', 'Sync enabled and apps unlocked'])
      .describe('The steps that users mark as done on the page of each release, in order.'),
    jira: jira.optional().describe('Source of teams and projects; takes precedence over `teams`.'),
  })
  .prefault({})
  .describe('Deployments: release tags, teams and projects.');
export type DeploymentsConfig = z.infer<typeof deploymentsConfig>;
