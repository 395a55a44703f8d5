import * as z from 'zod/mini';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON Schema by which an answer is serialised: what the contract does not name never leaves
 * the server, however much of it a handler has in hand.
 */
export function toResponseSchema(response: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(response, { target: 'draft-7', io: 'output', override: simplify });
  return schema;
}

/**
 * The serialiser compiles `nullable` to one comparison, but tries the branches of an `anyOf` one by
 * one with a validator.
 */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  const branches = jsonSchema.anyOf;
  if (branches?.length !== 2 || !branches.some(isNull)) return;
  const branch = branches.find((candidate) => !isNull(candidate));
  delete jsonSchema.anyOf;
  if (typeof branch === 'object') Object.assign(jsonSchema, branch);
  if (jsonSchema.type !== undefined) Object.assign(jsonSchema, { nullable: true });
}

function isNull(branch: JsonSchema | boolean): boolean {
  return typeof branch === 'object' && branch.type === 'null';
}
