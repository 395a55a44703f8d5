/**
 * What a company's installation consists of, whichever service reads it: the platforms with their
 * addresses, and the portal's own database and key. Secrets in it show themselves to nobody.
 */
import { secretText } from '@portal/kit/config';
import { Secret } from '@portal/kit/secret';
import { z } from 'zod';

const databaseAddress = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'is not an address such as postgresql://user:password@host:5432/database',
  })
  .transform((value) => new Secret(value));

/** For refinements: no two entries of a list may have the same. */
function unique<Key extends string>(key: Key) {
  const hasUniqueKeys = (entries: readonly Readonly<Record<Key, unknown>>[]) =>
    new Set(entries.map((entry) => entry[key])).size === entries.length;
  return [hasUniqueKeys, `two of them have the same ${key}`] as const;
}

const dataSource = z.strictObject({
  heliumDataSourceName: z
    .string()
    .min(1)
    .meta({ description: 'The name the Helium platform knows it by.', example: 'helium-app-1' }),
  hostname: z
    .string()
    .min(1)
    .meta({ description: 'The database server, as people see it.', example: 'pg-1.example.com' }),
  dbName: z.string().min(1).meta({ description: 'The database, as people see it.', example: 'helium' }),
  url: databaseAddress.meta({
    description: 'How the portal reaches it: postgresql://user:password@host:5432/database. Never shown, never sent.',
    example: `\${HELIUM_APP_1_URL}`,
  }),
});

const environment = z.strictObject({
  name: z
    .string()
    .min(1)
    .meta({ description: 'Shown on every screen. `Production` is treated with more care.', example: 'Production' }),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .meta({ description: 'Address of the Helium platform.', example: 'https://helium.example.com' }),
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
    .meta({ description: 'Colour of its badge.', example: 'red' }),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not a time zone such as Africa/Johannesburg')
    .default('UTC')
    .meta({ description: 'Zone in which its schedules are judged.', example: 'Africa/Johannesburg' }),
  dataSources: z
    .array(dataSource)
    .refine(...unique('heliumDataSourceName'))
    .default([])
    .describe('The PostgreSQL databases that hold its app schemas.'),
  teamUsers: z
    .array(z.string().min(1))
    .refine((names) => new Set(names).size === names.length, 'two of them are the same')
    .default([])
    .meta({
      description:
        'Database users of the developer teams: those a schema may be given to. The users of the data sources must be members of them.',
      example: ['team_health', 'team_farming'],
    }),
  journeyBaseUrls: z
    .array(z.url({ protocol: /^https?$/ }))
    .default([])
    .meta({
      description:
        'Where its Journey deployments may be: addresses that begin with one of these. The portal calls no others.',
      example: ['https://run-testing-us.journeyapps.com/api/v4/'],
    }),
});

/** How the server reaches the sync service, and how the sync service works. */
const sync = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8081')
    .meta({ description: 'Address of the sync service, for the server.', example: 'http://sync.internal:8081' }),
  token: secretText.optional().meta({
    description:
      'What the server proves itself with to the sync service; the same for both. Derived from the encryption key when left out.',
    example: `\${PORTAL_SYNC_TOKEN}`,
  }),
  slots: z.int().min(1).default(16).describe('How many integrations one process works on at the same moment.'),
  connectionsPerDatabase: z
    .int()
    .min(2)
    .max(100)
    .default(8)
    .describe('PostgreSQL connections at most to each data source, from each sync process.'),
  journeyRate: z
    .strictObject({
      perSecond: z.number().positive().default(20),
      burst: z.int().positive().default(20),
    })
    .prefault({})
    .describe('Calls to one Journey host, a second and at once. What a deployment takes is shown in its data browser.'),
});

/** For object schemas to take over. */
export const installation = {
  environments: z
    .array(environment)
    .min(1)
    .refine(...unique('name'))
    .refine(...unique('baseUrl'))
    .describe('The Helium installations one can sign in to.'),
  databaseUrl: databaseAddress.meta({
    description: "The portal's own PostgreSQL database.",
    example: `\${PORTAL_DATABASE_URL}`,
  }),
  encryptionKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'is 32 bytes as 64 hexadecimal digits (openssl rand -hex 32)')
    .transform((value) => new Secret(value))
    .optional()
    .meta({
      description:
        'Encrypts the credentials in sessions; 32 bytes (`openssl rand -hex 32`), the same for all nodes. Made once in the state folder when left out.',
      example: `\${PORTAL_ENCRYPTION_KEY}`,
    }),
  stateFolder: z
    .string()
    .min(1)
    .default('.portal')
    .describe('Where the portal keeps what it makes itself, such as the encryption key.'),
  sync: sync.prefault({}).describe('The sync service, which keeps Helium and Journey alike.'),
  metricsToken: secretText.optional().meta({
    description:
      'Lets a monitoring system read /metrics of the portal and of the sync service with `Authorization: Bearer …`.',
    example: `\${PORTAL_METRICS_TOKEN}`,
  }),
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('The least that is logged.'),
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
