/**
 * Runs up to a thousand writes at once. An invalid request runs nothing; in a valid one, each write
 * can fail separately.
 */
import { z } from 'zod';
import type { Api } from './api.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import { isRecord } from './json.ts';
import { methods, type Operation } from './operations.ts';
import { write } from './write-path.ts';
import type { Outcome, StoredObject } from './write-plan.ts';

const maxOperations = 1000;

const Identified = z.looseObject({ type: z.string(), id: z.string() });
const Batch = z.looseObject({
  stop_on_error: z.boolean().nullish(),
  operations: z
    .array(
      z.discriminatedUnion('method', [
        z.looseObject({ method: z.literal('post'), object: Identified.partial({ id: true }) }),
        z.looseObject({ method: z.enum(methods).exclude(['post']), object: Identified }),
      ]),
    )
    .max(maxOperations, `has more than ${maxOperations} operations`),
});

export function registerBatchRoutes(api: Api): void {
  api.on('POST', 'batch.json', async ({ deployment, body, fault }) => {
    const { success, data, error } = Batch.safeParse(body);
    if (!success) throw invalidRequest(`The batch: ${z.prettifyError(error)}`);
    const { operations } = data;
    const stopOnError = data.stop_on_error ?? false;
    if (fault?.mode === 'half-batch') {
      await write(deployment, operations.slice(0, Math.ceil(operations.length / 2)), { origin: 'api', stopOnError });
      throw new ApiProblem('INTERNAL_SERVER_ERROR', 'Injected fault after half of the batch.');
    }
    const outcomes = await write(deployment, operations, { origin: 'api', stopOnError });
    return {
      stop_on_error: stopOnError,
      operations: outcomes.map((outcome, index) => toResult(operations[index], outcome)),
    };
  });
}

function toResult(operation: Operation | undefined, outcome: Outcome) {
  const { type, id } = outcome.success ? outcome : { type: operation?.object.type, id: operation?.object.id };
  const files = outcome.success ? findUploadIds(operation, outcome.object) : {};
  const result = { method: operation?.method, object: { type, ...(id === undefined ? {} : { id }), ...files } };
  return outcome.success ? { ...result, success: true } : { ...result, success: false, error: outcome.problem.body };
}

/** Our choice: the response names the ids of the files that were uploaded with the operation. */
function findUploadIds(operation: Operation | undefined, object: StoredObject | undefined): Record<string, unknown> {
  const ids: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(operation?.object ?? {}))
    if (isRecord(value) && 'base64' in value) ids[`${name}_id`] = object?.contents[name];
  return ids;
}
