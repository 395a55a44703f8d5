/** Errors and warnings about a schema, one sentence each. */
export interface SchemaFindings {
  readonly errors: string[];
  readonly warnings: string[];
}

export const reservedModels: ReadonlySet<string> = new Set(['object', 'account', 'id', 'type']);

export const reservedFields: ReadonlySet<string> = new Set([
  'object',
  'account',
  'id',
  'type',
  '_id',
  '_type',
  'account_id',
  'attribute',
]);

export const textSubtypes: ReadonlySet<string> = new Set([
  'email',
  'address',
  'name',
  'url',
  'paragraph',
  'number',
  'signed-number',
  'south-african-id',
  'phone-number',
  'decimal-number',
  'password',
]);

const name = /^[a-zA-Z][A-Za-z0-9_]*$/;

export function isName(text: string): boolean {
  return name.test(text);
}
