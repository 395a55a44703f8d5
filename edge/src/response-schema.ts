import * as z from 'zod/mini';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * Returns the JSON Schema that serializes a response. Fields that the contract does not name never
 * leave the server.
 */
export function toResponseSchema(response: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(response, { target: 'draft-7', io: 'output', override: simplify });
  return schema;
}

/**
 * Replaces `anyOf` with `nullable`: the serializer compiles that to one comparison, but runs a
 * validator for each branch of an `anyOf`. It ignores `nullable` on a union, which gets a branch
 * for null instead.
 */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  const branches = jsonSchema.anyOf;
  if (branches?.length !== 2 || !branches.some(isNull)) return;
  const branch = branches.find((candidate) => !isNull(candidate));
  delete jsonSchema.anyOf;
  if (typeof branch === 'object') Object.assign(jsonSchema, branch);
  if (jsonSchema.oneOf) jsonSchema.oneOf = [...jsonSchema.oneOf, { type: 'null' }];
  if (jsonSchema.type !== undefined) Object.assign(jsonSchema, { nullable: true });
}

function isNull(branch: JsonSchema | boolean): boolean {
  return typeof branch === 'object' && branch.type === 'null';
}
