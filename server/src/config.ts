import { isIP } from 'node:net';
import { loadConfiguration } from '@portal/kit/config';
import { webAddress } from '@portal/kit/web-address';
import { installation } from '@portal/platforms/installation.config';
import { z } from 'zod';
import { deploymentsConfig } from './features/deployments/deployments.config.ts';
import { devClientConfig } from './features/dev-client/dev-client.config.ts';
import { supportRosterConfig } from './features/support-roster/support-roster.config.ts';
import { syncServiceAccountsConfig } from './features/sync/sync.config.ts';

const minutes = (min: number) => z.number().min(min);

const role = z.enum(['viewer', 'operator', 'maintainer', 'admin']);
export type Role = z.infer<typeof role>;

const roleGrant = z.strictObject({
  role: role.meta({
    description:
      'viewer can view, operator can toggle functions, maintainer can change apps, admin can also read the audit trail, run the doctor and end sessions.',
    example: 'maintainer',
  }),
  users: z
    .union([z.array(z.string().min(1)).min(1), z.literal('everyone')])
    .meta({ description: 'User names, or `everyone`.', example: ['alice', 'bob'] }),
  environments: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Environments the grant applies to; all if omitted.', example: ['Production'] }),
  teams: z
    .array(z.string().min(1))
    .optional()
    .meta({
      description: 'Teams whose apps, deployments and roster the grant applies to; everything if omitted.',
      example: ['Health Team'],
    }),
});
export type RoleGrant = z.infer<typeof roleGrant>;

const team = z.strictObject({
  name: z.string().min(1).meta({ description: 'As in deployments or the support roster.', example: 'Health Team' }),
  apps: z
    .array(z.string().min(1))
    .meta({ description: "Schema names of the team's apps.", example: ['clinic_visits_001'] }),
});
export type TeamApps = z.infer<typeof team>;

export const configSchema = z.strictObject({
  ...installation,
  product: z.string().min(1).default('Helium Apps').describe("What the platform's apps are called."),
  links: z
    .array(
      z.strictObject({
        label: z.string().min(1).meta({ example: 'Monitoring' }),
        url: webAddress.meta({ example: 'https://monitoring.example.com' }),
      }),
    )
    .default([])
    .describe('External links in the menu: monitoring site, infrastructure docs, wiki, ticket system, chat channel.'),
  publicUrl: webAddress.optional().meta({
    description:
      'Public address of the portal, which calendar feeds link to. With https, the session cookie is marked Secure and gets the `__Host-` prefix.',
    example: 'https://portal.example.com',
  }),
  trustedProxies: z
    .array(z.string().refine(isAddressRange, 'is not an address or range such as 10.0.0.0/8'))
    .default([])
    .meta({
      description: 'Addresses or ranges of proxies whose X-Forwarded-For header is trusted.',
      example: ['10.0.0.0/8'],
    }),
  roles: z
    .array(roleGrant)
    .optional()
    .describe('Role grants. If omitted, users may view everything, and change what the platform lets them change.'),
  teams: z
    .array(team)
    .default([])
    .describe(
      'The apps of each team. If `roles` is omitted, those who may change one of them may change the deployments and the roster of the team.',
    ),
  session: z
    .strictObject({
      // Activity is recorded once a minute; a much shorter limit would end sessions in use.
      idleMins: minutes(5)
        .default(30)
        .describe('Ends after this long without a key press, pointer movement or call by a person; not if read-only.'),
      absoluteHours: z.number().positive().default(12).describe('Ends after this long in any case.'),
    })
    .prefault({})
    .describe('How long users stay signed in.'),
  signIn: z
    .strictObject({
      windowMins: minutes(1).default(15).describe('Time window in which failed sign-ins are counted.'),
      failuresPerUser: z
        .int()
        .positive()
        .default(5)
        .describe(
          'Failed sign-ins of a user from one address after which the next attempt has to wait: one second, doubled by each further failure, at most 30 seconds.',
        ),
      failuresPerAddress: z
        .int()
        .positive()
        .default(100)
        .describe(
          'Failed sign-ins from one address after which each user there has to wait from their own first failure on. Other users of the address are not affected.',
        ),
    })
    .prefault({})
    .describe('Delays that slow down password guessing. They never lock out a user or an address.'),
  deployments: deploymentsConfig,
  devClient: devClientConfig.optional().describe('Where to find developer client releases, for the download page.'),
  supportRoster: supportRosterConfig.prefault({}).describe('On-call rosters of the support teams.'),
  syncServiceAccounts: syncServiceAccountsConfig.describe(
    'Service accounts that may read sync integrations (`GET get/{app id}`) with HTTP Basic, without platform credentials.',
  ),
  platformTimeoutSeconds: z
    .number()
    .positive()
    .default(15)
    .describe('How long to wait for a response from the platform.'),
});
export type Config = z.infer<typeof configSchema>;
export type EnvironmentConfig = Config['environments'][number];

/** Settings of the process itself, which are not part of the configuration file. */
export const processVariables = {
  PORTAL_CONFIG: 'Path of the configuration file.',
  PORT: 'Port to listen on; 8080 if omitted.',
  HOST: 'Network address to listen on; 127.0.0.1 if omitted.',
  SYNC_PORT: 'Port of the sync service; 8081 if omitted.',
  HTTPS_PROXY: 'Proxy for outgoing calls to `https:` addresses.',
  HTTP_PROXY: 'Proxy for outgoing calls to `http:` addresses.',
  NO_PROXY: 'Hosts that are called without a proxy.',
} as const;

/** Environment variables and the settings they override. */
export const environmentVariables = {
  PORTAL_DATABASE_URL: 'databaseUrl',
  PORTAL_DATABASE_OWNER_URL: 'databaseOwnerUrl',
  PORTAL_ENCRYPTION_KEY: 'encryptionKey',
  PORTAL_METRICS_TOKEN: 'metricsToken',
  PORTAL_STATE_DIR: 'stateFolder',
  PORTAL_SYNC_URL: 'sync.url',
  LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof Config | 'sync.url'>;

/**
 * Reads `PORTAL_CONFIG` and the environment; `defaults` fills in what neither sets. Throws a
 * ConfigurationProblem that lists all errors at once.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  defaults: Partial<z.input<typeof configSchema>> = {},
): Config {
  const fromEnvironment = Object.entries(environmentVariables).flatMap(([variable, setting]) => {
    const value = env[variable];
    return value ? [[setting, value]] : [];
  });
  const withEnvironment = z.preprocess(
    (written) =>
      isRecord(written)
        ? fromEnvironment.reduce((all, [setting = '', value]) => withSetting(all, setting.split('.'), value), {
            ...defaults,
            ...written,
          })
        : written,
    configSchema,
  );
  return loadConfiguration(withEnvironment, { file: env.PORTAL_CONFIG, env });
}

type Settings = Readonly<Record<string, unknown>>;

/** Returns the settings with the value at this path replaced. */
function withSetting(settings: Settings, [name = '', ...inner]: readonly string[], value: unknown): Settings {
  if (inner.length === 0) return { ...settings, [name]: value };
  const nested = settings[name];
  return { ...settings, [name]: withSetting(isRecord(nested) ? nested : {}, inner, value) };
}

function isRecord(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isLength = bits === undefined || (/^\d+$/.test(bits) && Number(bits) >= 1 && Number(bits) <= maxBits);
  return maxBits > 0 && isLength && more.length === 0;
}
