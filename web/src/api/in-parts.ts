/**
 * Work on long lists, in parts between which the page responds: thousands of elements at once would
 * take longer than a tenth of a second.
 */
import * as z from 'zod/mini';

/** How many elements are worked on at once, which takes a few milliseconds. */
const partSize = 500;

/** Returns the results of all elements in order, of which `map` gets a part at a time. */
export async function mapInParts<T, Result>(
  list: readonly T[],
  map: (part: readonly T[]) => readonly Result[],
): Promise<Result[]> {
  const results: Result[] = [];
  for await (const part of split(list)) results.push(...map(part));
  return results;
}

/** Returns what `safeParse` returns. */
export async function validateInParts(
  schema: z.core.$ZodType,
  value: unknown,
): Promise<z.core.util.SafeParseResult<unknown>> {
  if (!(schema instanceof z.ZodMiniArray) || !Array.isArray(value) || value.length <= partSize)
    return z.safeParse(schema, value);
  const data: unknown[] = [];
  for await (const part of split(value)) {
    const parsed = z.safeParse(schema, part);
    if (!parsed.success) return parsed;
    data.push(...parsed.data);
  }
  return { success: true, data };
}

/** Yields each part in a task of its own. */
async function* split<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < list.length; from += partSize) {
    if (from > 0) await nextTask();
    yield list.slice(from, from + partSize);
  }
}

/** Unlike a timer, a message is not delayed in a tab in the background. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
