/**
 * The part of Jira's responses the portal reads. Cloud pages the list; Server and Data Center send
 * it in one response.
 */
import { z } from 'zod';

export const JiraProject = z.object({
  key: z.string().min(1),
  name: z.string(),
  archived: z.boolean().optional(),
  /** Missing when a project has no category. */
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
