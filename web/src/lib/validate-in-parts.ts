import * as z from 'zod/mini';

/** How many elements of a list are validated at once, which takes a few milliseconds. */
const partSize = 500;

/**
 * Returns what `safeParse` returns. Validates a long list in parts, between which the page
 * responds: thousands at once would take longer than a tenth of a second.
 */
export async function validateInParts(
  schema: z.core.$ZodType,
  value: unknown,
): Promise<z.core.util.SafeParseResult<unknown>> {
  if (!(schema instanceof z.ZodMiniArray) || !Array.isArray(value) || value.length <= partSize)
    return z.safeParse(schema, value);
  const data: unknown[] = [];
  for (let from = 0; from < value.length; from += partSize) {
    if (from > 0) await nextTask();
    const part = z.safeParse(schema, value.slice(from, from + partSize));
    if (!part.success) return part;
    data.push(...part.data);
  }
  return { success: true, data };
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
