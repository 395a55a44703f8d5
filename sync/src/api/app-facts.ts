import * as z from 'zod/mini';

/**
 * What the server adds to a body: the app as the caller sees it, and the data source that holds its
 * schema.
 */
export const appFactsSchema = z.object({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  schemaName: z.string(),
});
