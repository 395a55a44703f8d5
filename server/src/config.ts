import { loadConfiguration, secretText } from '@portal/kit/config';
import { Secret } from '@portal/kit/secret';
import { z } from 'zod';

const minutes = (least: number) => z.number().min(least);

const dataSource = z.strictObject({
  heliumDataSourceName: z.string().min(1).describe('The name the Helium platform knows it by.'),
  hostname: z.string().min(1).describe('The database server, as people see it.'),
  dbName: z.string().min(1).describe('The database, as people see it.'),
  url: secretText.describe(
    'How the portal reaches it: postgresql://user:password@host:5432/database. Never shown, never sent.',
  ),
});

const environment = z.strictObject({
  name: z.string().min(1).describe('Shown on every screen. `Production` is treated with more care.'),
  baseUrl: z.url({ protocol: /^https?$/ }).describe('Address of the Helium platform.'),
  color: z
    .enum([
      'red',
      'pink',
      'grape',
      'violet',
      'indigo',
      'blue',
      'cyan',
      'teal',
      'green',
      'lime',
      'yellow',
      'orange',
      'gray',
    ])
    .default('blue')
    .describe('Colour of its badge.'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not a time zone such as Africa/Johannesburg')
    .default('UTC')
    .describe('Zone in which its schedules are judged.'),
  dataSources: z.array(dataSource).default([]).describe('The PostgreSQL databases that hold its app schemas.'),
});

const role = z.enum(['viewer', 'operator', 'maintainer', 'admin']);
export type Role = z.infer<typeof role>;

const roleGrant = z.strictObject({
  role: role.describe(
    'viewer sees, operator switches functions, maintainer changes apps, admin reads the audit trail too.',
  ),
  users: z.union([z.array(z.string().min(1)).min(1), z.literal('everyone')]).describe('User names, or `everyone`.'),
  environments: z.array(z.string().min(1)).optional().describe('Where it holds; everywhere when left out.'),
});
export type RoleGrant = z.infer<typeof roleGrant>;

export const configSchema = z.strictObject({
  product: z.string().min(1).default('Helium Apps').describe('What the apps of the platform are called.'),
  links: z
    .array(z.strictObject({ label: z.string().min(1), url: z.url({ protocol: /^https?$/ }) }))
    .default([])
    .describe('External links of the menu: monitoring site, infrastructure docs, wiki, ticket system, chat channel.'),
  environments: z.array(environment).min(1).describe('The Helium installations one can sign in to.'),
  databaseUrl: secretText.describe("The portal's own PostgreSQL database. PORTAL_DATABASE_URL comes before it."),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address people open. With https the cookie is marked Secure and `__Host-`.'),
  trustedProxies: z
    .array(z.string().min(1))
    .default([])
    .describe('Addresses or ranges of proxies whose X-Forwarded-For is believed.'),
  encryptionKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'is 32 bytes as 64 hexadecimal digits (openssl rand -hex 32)')
    .transform((value) => new Secret(value))
    .optional()
    .describe(
      'Encrypts the credentials in sessions. PORTAL_ENCRYPTION_KEY comes before it; made once in the state folder when left out. All nodes need the same.',
    ),
  stateFolder: z
    .string()
    .min(1)
    .default('.portal')
    .describe('Where the portal keeps what it makes itself, such as the encryption key.'),
  roles: z
    .array(roleGrant)
    .optional()
    .describe('Who may do what. Without it everybody who is signed in may do everything.'),
  session: z
    .strictObject({
      idleMins: minutes(1).default(30).describe('Ends after this long without a call.'),
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
  platformTimeoutSeconds: z.number().positive().default(15).describe('How long the platform may take for an answer.'),
  metricsToken: secretText
    .optional()
    .describe(
      'Lets a monitoring system read /metrics with `Authorization: Bearer …`. PORTAL_METRICS_TOKEN comes before it.',
    ),
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('LOG_LEVEL comes before it.'),
});
export type Config = z.infer<typeof configSchema>;
export type EnvironmentConfig = Config['environments'][number];
export type DataSourceConfig = EnvironmentConfig['dataSources'][number];

/** Which environment variable comes before which setting. */
export const environmentVariables = {
  PORTAL_DATABASE_URL: 'databaseUrl',
  PORTAL_ENCRYPTION_KEY: 'encryptionKey',
  PORTAL_METRICS_TOKEN: 'metricsToken',
  PORTAL_STATE_DIR: 'stateFolder',
  LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof Config>;

/**
 * Reads `PORTAL_CONFIG` and the environment. Throws a ConfigurationProblem that says everything wrong at once.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const fromEnvironment = Object.entries(environmentVariables).flatMap(([variable, setting]) => {
    const value = env[variable];
    return value ? [[setting, value]] : [];
  });
  const withEnvironment = z.preprocess(
    (written) => (isRecord(written) ? { ...written, ...Object.fromEntries(fromEnvironment) } : written),
    configSchema,
  );
  return loadConfiguration(withEnvironment, { file: env.PORTAL_CONFIG, env });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
