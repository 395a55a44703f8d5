/**
 * Runs up to a thousand writes at once. An invalid request runs nothing; in a valid one, each write
 * can fail separately.
 */
import { z } from 'zod';
import type { Api } from './api.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import { methods, type Operation } from './operations.ts';
import { write } from './write-path.ts';
import type { Outcome } from './write-plan.ts';

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
  const result = { method: operation?.method, object: { type, ...(id === undefined ? {} : { id }) } };
  return outcome.success ? { ...result, success: true } : { ...result, success: false, error: outcome.problem.body };
}
