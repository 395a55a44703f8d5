import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { heavy } from './rules.ts';

/** What one call, or one data source, answered. */
const examinationSchema = z.object({
  /** Such as 'List of apps' or 'Data source main'. */
  title: z.string(),
  lines: z.array(z.string()),
  /** Whether the portal can work with it as it is configured. */
  isGood: z.boolean(),
});
export type Examination = z.infer<typeof examinationSchema>;

/**
 * Examines how the platform and the data sources of the session's environment answer, which takes
 * some seconds. Changes nothing.
 */
export const examineEnvironment = endpoint({
  method: 'POST',
  path: '/portal-backend/api/examine-environment',
  summary: 'Examine how Helium and the data sources of the environment answer',
  may: 'doctor.view',
  about: {},
  recorded: false,
  cost: heavy(),
  request: z.object({}),
  response: z.object({
    examinations: z.array(examinationSchema),
    /** Lines for the configuration file; empty if nothing differs. */
    suggestion: z.string(),
    isGood: z.boolean(),
  }),
});
