import { z } from 'zod';
import { configSchema } from '../config.ts';

/** The subset of JSON Schema that the configuration uses. */
export interface SettingSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SettingSchema[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly items?: SettingSchema;
}

/** Returns the schema of the configuration file, from which all references are generated. */
export function getConfigInputSchema(): SettingSchema {
  const schema: unknown = z.toJSONSchema(configSchema, { io: 'input' });
  return schema as SettingSchema;
}
