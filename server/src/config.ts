import { isIP } from 'node:net';
import { loadConfiguration } from '@portal/kit/config';
import { installation } from '@portal/platforms/installation.config';
import { z } from 'zod';
import { deploymentsConfig } from './features/deployments/deployments.config.ts';
import { devClientConfig } from './features/dev-client/dev-client.config.ts';
import { supportRosterConfig } from './features/support-roster/support-roster.config.ts';
import { syncServiceAccountsConfig } from './features/sync/sync.config.ts';

const minutes = (least: number) => z.number().min(least);

const role = z.enum(['viewer', 'operator', 'maintainer', 'admin']);
export type Role = z.infer<typeof role>;

const roleGrant = z.strictObject({
  role: role.meta({
    description: 'viewer sees, operator switches functions, maintainer changes apps, admin reads the audit trail too.',
    example: 'maintainer',
  }),
  users: z
    .union([z.array(z.string().min(1)).min(1), z.literal('everyone')])
    .meta({ description: 'User names, or `everyone`.', example: ['alice', 'bob'] }),
  environments: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Where it holds; everywhere when left out.', example: ['Production'] }),
});
export type RoleGrant = z.infer<typeof roleGrant>;

export const configSchema = z.strictObject({
  ...installation,
  product: z.string().min(1).default('Helium Apps').describe('What the apps of the platform are called.'),
  links: z
    .array(
      z.strictObject({
        label: z.string().min(1).meta({ example: 'Monitoring' }),
        url: z.url({ protocol: /^https?$/ }).meta({ example: 'https://monitoring.example.com' }),
      }),
    )
    .default([])
    .describe('External links of the menu: monitoring site, infrastructure docs, wiki, ticket system, chat channel.'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'Address people open. With https the cookie is marked Secure and `__Host-`.',
      example: 'https://portal.example.com',
    }),
  trustedProxies: z
    .array(z.string().refine(isAddressRange, 'is not an address or range such as 10.0.0.0/8'))
    .default([])
    .meta({
      description: 'Addresses or ranges of proxies whose X-Forwarded-For is believed.',
      example: ['10.0.0.0/8'],
    }),
  roles: z
    .array(roleGrant)
    .optional()
    .describe('Who may do what. Without it everybody who is signed in may do everything.'),
  session: z
    .strictObject({
      // Use is written down once a minute: much shorter, and a session would end in use.
      idleMins: minutes(5).default(30).describe('Ends after this long without a call.'),
      absoluteHours: z.number().positive().default(12).describe('Ends after this long whatever happens.'),
    })
    .prefault({})
    .describe('How long people stay signed in.'),
  signIn: z
    .strictObject({
      windowMins: minutes(1).default(15).describe('Failed sign-ins are counted over this long.'),
      failuresPerUser: z
        .int()
        .positive()
        .default(10)
        .describe('Failures of one user name in an environment before it has to wait.'),
      failuresPerAddress: z.int().positive().default(100).describe('Failures from one address before it has to wait.'),
    })
    .prefault({})
    .describe('Limits against guessing passwords.'),
  deployments: deploymentsConfig,
  devClient: devClientConfig
    .optional()
    .describe('Where the releases of the developer client are, for its download page.'),
  supportRoster: supportRosterConfig.prefault({}).describe('Who is on support when.'),
  syncServiceAccounts: syncServiceAccountsConfig.describe(
    'Machines that may read sync integrations, `GET get/{app id}`, with HTTP Basic and no credentials of the platform.',
  ),
  platformTimeoutSeconds: z.number().positive().default(15).describe('How long the platform may take for an answer.'),
});
export type Config = z.infer<typeof configSchema>;
export type EnvironmentConfig = Config['environments'][number];

/** What is told to the process itself, not to the configuration. */
export const processVariables = {
  PORTAL_CONFIG: 'The configuration file.',
  PORT: 'Where to listen; 8080 when left out.',
  HOST: "On which of the machine's addresses; 127.0.0.1 when left out.",
  SYNC_PORT: 'Where the sync service listens; 8081 when left out.',
} as const;

/** Which environment variable comes before which setting. */
export const environmentVariables = {
  PORTAL_DATABASE_URL: 'databaseUrl',
  PORTAL_ENCRYPTION_KEY: 'encryptionKey',
  PORTAL_METRICS_TOKEN: 'metricsToken',
  PORTAL_STATE_DIR: 'stateFolder',
  PORTAL_SYNC_URL: 'sync.url',
  LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof Config | 'sync.url'>;

/**
 * Reads `PORTAL_CONFIG` and the environment; `leftOut` stands for what neither of them names.
 * Throws a ConfigurationProblem that says everything wrong at once.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  leftOut: Partial<z.input<typeof configSchema>> = {},
): Config {
  const fromEnvironment = Object.entries(environmentVariables).flatMap(([variable, setting]) => {
    const value = env[variable];
    return value ? [[setting, value]] : [];
  });
  const withEnvironment = z.preprocess(
    (written) =>
      isRecord(written)
        ? fromEnvironment.reduce((all, [setting = '', value]) => withSetting(all, setting.split('.'), value), {
            ...leftOut,
            ...written,
          })
        : written,
    configSchema,
  );
  return loadConfiguration(withEnvironment, { file: env.PORTAL_CONFIG, env });
}

type Settings = Readonly<Record<string, unknown>>;

/** The same settings, but for the one at this path. */
function withSetting(settings: Settings, [name = '', ...inner]: readonly string[], value: unknown): Settings {
  if (inner.length === 0) return { ...settings, [name]: value };
  const within = settings[name];
  return { ...settings, [name]: withSetting(isRecord(within) ? within : {}, inner, value) };
}

function isRecord(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isLength = bits === undefined || (/^\d+$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  return most > 0 && isLength && more.length === 0;
}
