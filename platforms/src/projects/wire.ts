/**
 * What Jira answers, as far as it is read; Cloud pages the list, Server and Data Center send it
 * whole.
 */
import { z } from 'zod';

export const JiraProject = z.object({
  key: z.string().min(1),
  name: z.string(),
  archived: z.boolean().optional(),
  /** Left out where a project is in no category. */
  projectCategory: z.object({ name: z.string() }).optional(),
});
export type JiraProject = z.infer<typeof JiraProject>;

export const JiraProjectPage = z.object({
  startAt: z.int().min(0),
  total: z.int().min(0).optional(),
  isLast: z.boolean(),
  values: z.array(JiraProject),
});
export type JiraProjectPage = z.infer<typeof JiraProjectPage>;
