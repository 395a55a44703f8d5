import { secretText } from '@portal/kit/config';
import { z } from 'zod';

/** Service accounts that read integrations. */
export const syncServiceAccountsConfig = z
  .array(
    z.strictObject({
      name: z
        .string()
        .regex(/^[^:]+$/, 'must not be empty or contain a colon')
        .meta({ description: 'User name for HTTP Basic.', example: 'sync-monitor' }),
      token: secretText.meta({
        description: 'Password for HTTP Basic.',
        example: `\${PORTAL_SYNC_MONITOR_TOKEN}`,
      }),
      environments: z
        .array(z.string().min(1))
        .optional()
        .meta({ description: 'Environments the account may access; all if omitted.', example: ['Production'] }),
    }),
  )
  .refine(
    (accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length,
    'two accounts have the same name',
  )
  .default([]);
export type SyncServiceAccount = z.infer<typeof syncServiceAccountsConfig>[number];
