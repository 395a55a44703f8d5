/**
 * The part of Jira's responses the portal reads. Cloud pages the list; Server and Data Center send
 * it in one response. Null counts as missing, and a project that cannot be read is left out.
 */
import { z } from 'zod';

const JiraCategory = z.object({ name: z.string() });

const Project = z.object({
  key: z.string().min(1),
  name: z.string(),
  archived: z
    .boolean()
    .nullish()
    .transform((archived) => archived ?? undefined),
  /** Missing when a project has no category. */
  projectCategory: z
    .unknown()
    .transform((category) => JiraCategory.safeParse(category).data)
    .optional(),
});

export interface JiraProject {
  readonly key: string;
  readonly name: string;
  readonly archived?: boolean | undefined;
  readonly projectCategory?: { readonly name: string } | undefined;
}

export const JiraProjectList = z
  .array(z.unknown())
  .transform((values): JiraProject[] => values.flatMap((value) => Project.safeParse(value).data ?? []));

/** A page; nothing but `values` is needed of it. */
export const JiraProjectPage = z
  .object({ values: z.array(z.unknown()), isLast: z.boolean().nullish() })
  .transform(({ values, isLast }) => ({
    projects: JiraProjectList.parse(values),
    /** Of all projects, also those that cannot be read. */
    keys: values.map((value) => JiraKey.safeParse(value).data?.key),
    isLast: isLast === true,
  }));

const JiraKey = z.object({ key: z.string() });
