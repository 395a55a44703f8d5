import { secretText } from '@portal/kit/config';
import { z } from 'zod';

/** Machines that read integrations. */
export const syncServiceAccountsConfig = z
  .array(
    z.strictObject({
      name: z
        .string()
        .regex(/^[^:]+$/, 'must not be empty or hold a colon')
        .meta({ description: 'Its user name in HTTP Basic.', example: 'sync-monitor' }),
      token: secretText.meta({
        description: 'Its password in HTTP Basic.',
        example: `\${PORTAL_SYNC_MONITOR_TOKEN}`,
      }),
      environments: z
        .array(z.string().min(1))
        .optional()
        .meta({ description: 'Where it holds; everywhere when left out.', example: ['Production'] }),
    }),
  )
  .refine(
    (accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length,
    'two of them have the same name',
  )
  .default([]);
export type SyncServiceAccount = z.infer<typeof syncServiceAccountsConfig>[number];
