/**
 * The configuration of a company's installation, shared by all services: the platforms with their
 * addresses, and the portal's own database and key. Secrets in it never print themselves.
 */
import { secretText } from '@portal/kit/config';
import { findTlsProblems } from '@portal/kit/postgres/database-address';
import { findPooledProblems } from '@portal/kit/postgres/pooled-setting';
import { Secret } from '@portal/kit/secret';
import { webAddress } from '@portal/kit/web-address';
import { z } from 'zod';
import { heliumDialect } from './helium/dialect/dialect.config.ts';
import { isFileHost } from './outgoing/network-addresses.ts';

const databaseAddress = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'is not an address such as postgresql://user:password@host:5432/database',
  })
  .superRefine((value, context) => {
    if (!URL.canParse(value)) return;
    for (const message of [...findTlsProblems(value), ...findPooledProblems(value)])
      context.addIssue({ code: 'custom', message });
  })
  .transform((value) => new Secret(value));

/** For refinements: rejects entries of a list with the same value. */
function unique<Key extends string>(key: Key) {
  const hasUniqueKeys = (entries: readonly Readonly<Record<Key, unknown>>[]) =>
    new Set(entries.map((entry) => entry[key])).size === entries.length;
  return [hasUniqueKeys, `two entries have the same ${key}`] as const;
}

const dataSource = z.strictObject({
  heliumDataSourceName: z
    .string()
    .min(1)
    .meta({ description: 'The name under which the Helium platform knows it.', example: 'helium-app-1' }),
  hostname: z
    .string()
    .min(1)
    .meta({ description: 'The database server, as shown to users.', example: 'pg-1.example.com' }),
  dbName: z.string().min(1).meta({ description: 'The database, as shown to users.', example: 'helium' }),
  url: databaseAddress.meta({
    description:
      'How the portal connects to it: postgresql://user:password@host:5432/database?sslmode=verify-full. `pooled=` as in `databaseUrl`. Never shown or sent. With `grantUrl`, this login only reads catalogs and statistics.',
    example: `\${HELIUM_APP_1_URL}`,
  }),
  grantUrl: databaseAddress.optional().meta({
    description:
      'The same database with the login that gives teams access to schemas and creates one login for each app. Views, triggers and functions of an app then never run with rights beyond that app. Without it, one login does everything, and they do: see `docs/security.md`.',
    example: `\${HELIUM_APP_1_GRANT_URL}`,
  }),
});

const environment = z.strictObject({
  name: z
    .string()
    .min(1)
    .meta({ description: 'Shown on every screen. `Production` is handled with extra care.', example: 'Production' }),
  baseUrl: webAddress.meta({
    description: 'The address of the Helium platform.',
    example: 'https://helium.example.com',
  }),
  helium: heliumDialect
    .prefault({})
    .describe(
      'How the Helium platform spells the calls that administer apps. `npm run doctor` finds what differs from these defaults.',
    ),
  rights: z
    .enum(['derive', 'all'])
    .default('derive')
    .describe(
      'Who may change an app if `roles` is omitted. `derive` asks the platform with an empty change of its configuration, where `helium.appConfig.write.style` is `merge`; `all` lets users change each app that the platform lists for them.',
    ),
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
    .meta({ description: 'The color of its badge.', example: 'red' }),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not a time zone such as Africa/Johannesburg')
    .default('UTC')
    .meta({ description: 'The time zone of its schedules.', example: 'Africa/Johannesburg' }),
  dataSources: z
    .array(dataSource)
    .refine(...unique('heliumDataSourceName'))
    .default([])
    .describe('The PostgreSQL databases that hold its app schemas.'),
  teamUsers: z
    .array(z.string().min(1))
    .refine((names) => new Set(names).size === names.length, 'two entries are the same')
    .default([])
    .meta({
      description:
        'The database users of the developer teams, who can be given a schema. The granting login must administer them, or without one the login of `url`.',
      example: ['team_health', 'team_farming'],
    }),
  journeyBaseUrls: z
    .array(webAddress)
    .default([])
    .meta({
      description: 'The allowed addresses of its Journey deployments, as prefixes. The portal calls no others.',
      example: ['https://run-testing-us.journeyapps.com/api/v4/'],
    }),
});

/** How the server reaches the sync service, and the settings of the sync service. */
const sync = z.strictObject({
  url: webAddress
    .default('http://127.0.0.1:8081')
    .meta({ description: 'The address of the sync service, for the server.', example: 'http://sync.internal:8081' }),
  token: secretText.optional().meta({
    description:
      'The token with which the server authenticates to the sync service; the same for both. Default: derived from the encryption key.',
    example: `\${PORTAL_SYNC_TOKEN}`,
  }),
  slots: z.int().min(1).default(16).describe('How many integrations one process runs at the same time.'),
  connectionsPerDatabase: z
    .int()
    .min(2)
    .max(100)
    .default(20)
    .describe('The maximum number of PostgreSQL connections to each data source per sync process.'),
  journeyRate: z
    .strictObject({
      perSecond: z.number().positive().default(20),
      burst: z.int().positive().default(20),
    })
    .prefault({})
    .describe('The rate and burst of calls to one Journey deployment. Its limits are shown in its data browser.'),
  journeyHostRate: z
    .strictObject({
      perSecond: z.number().positive().default(250),
      burst: z.int().positive().default(250),
    })
    .prefault({})
    .describe('The rate and burst of calls from one process to all deployments of one Journey host together.'),
  fileHosts: z
    .array(z.string().refine(isFileHost, 'is not a host name, address or range, such as 10.1.0.0/16'))
    .default([])
    .meta({
      description:
        "The hosts besides Journey's own that files of its photos, signatures and attachments are downloaded from: names, with their port unless it is the default. They never receive Journey's credentials. A host with an internal address also needs that address, or a range such as `10.1.0.0/16`.",
      example: ['files.example.com'],
    }),
  keptFiles: z
    .strictObject({
      maxBytes: z.int().min(0).default(1_000_000_000),
      maxFileBytes: z.int().min(0).default(50_000_000),
      days: z.int().min(1).max(365).default(90),
    })
    .prefault({})
    .describe(
      'Files that lose a conflict are kept in `__portal_sync__` of the data source: their total size per integration, the size of one file, and the number of days. What cannot be kept is not overwritten.',
    ),
});

/** Fields that the schema of a service can include. */
export const installation = {
  environments: z
    .array(environment)
    .min(1)
    .refine(...unique('name'))
    .refine(...unique('baseUrl'))
    .describe('The Helium installations that users can sign in to.'),
  databaseUrl: databaseAddress.meta({
    description:
      "The portal's own PostgreSQL database. TLS is set in addresses as for libpq: `?sslmode=verify-full&sslrootcert=/etc/portal/ca.pem`. `pooled=auto`, `yes` or `no` states whether an address is that of a pooler; `auto`, the default, recognizes one at each connection.",
    example: `\${PORTAL_DATABASE_URL}`,
  }),
  databaseOwnerUrl: databaseAddress.optional().meta({
    description:
      "The portal's own database with the role that owns it, for migrations only. The role of `databaseUrl` then has no right to change the audit trail.",
    example: `\${PORTAL_DATABASE_OWNER_URL}`,
  }),
  databaseDirectUrl: databaseAddress.optional().meta({
    description:
      "An address of the portal's own database without a pooler, for the one connection per process that listens to notifications. Only useful where `databaseUrl` is that of a pooler such as pgbouncer.",
    example: `\${PORTAL_DATABASE_DIRECT_URL}`,
  }),
  encryptionKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'is 32 bytes as 64 hexadecimal digits (openssl rand -hex 32)')
    .transform((value) => new Secret(value))
    .optional()
    .meta({
      description:
        'Encrypts the credentials in sessions; 32 bytes (`openssl rand -hex 32`), the same for all nodes. Default: created once in the state folder.',
      example: `\${PORTAL_ENCRYPTION_KEY}`,
    }),
  stateFolder: z
    .string()
    .min(1)
    .default('.portal')
    .describe('The folder for files the portal creates, such as the encryption key.'),
  sync: sync.prefault({}).describe('The sync service, which keeps Helium and Journey in sync.'),
  metricsToken: secretText.optional().meta({
    description:
      'Allows a monitoring system to read /metrics of the portal and of the sync service with `Authorization: Bearer …`.',
    example: `\${PORTAL_METRICS_TOKEN}`,
  }),
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('The minimum level of log lines.'),
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
