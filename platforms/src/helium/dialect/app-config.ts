import type { HeliumAppConfig, HeliumAppConfigPatch } from '../wire.ts';
import type { AppConfigDialect, Spelling } from './dialect.config.ts';
import {
  describePosition,
  readFields,
  readOptionalText,
  showValue,
  UnreadableResponse,
  writeFields,
} from './fields.ts';
import { isJsonObject, type JsonObject, readPath, writePath } from './json-path.ts';
import { changeTimeouts, readTimeouts, toTimeoutsPatch } from './process-timeouts.ts';

/** Helium's own default, for an app without a setting. */
const defaultMaxDatabaseResults = 1000;

export interface AppConfigReading extends HeliumAppConfig {
  /** The reason for each timeout that could not be read. */
  readonly skipped: readonly string[];
  /** The paths of the fields in the response that the dialect does not name. */
  readonly otherFields: readonly string[];
}

/**
 * Reads an app's configuration. Timeouts, messages and the maximum may be missing or null. Throws
 * UnreadableResponse if the rest is not as described.
 */
export function readAppConfig(dialect: AppConfigDialect, document: unknown): AppConfigReading {
  const object = requireConfigObject(dialect, document);
  const { fields, timeouts } = dialect;
  const values = readFields(fields, object);
  const { minutes, skipped } = readTimeouts(timeouts, values.processEntryPointTimeouts);
  return {
    processEntryPointTimeouts: minutes,
    maxDatabaseResults: readMaximum(values.maxDatabaseResults, fields.maxDatabaseResults),
    disabled: readFlag(dialect.disabled, values.disabled, fields.disabled),
    disabledMessage: readOptionalText(values.disabledMessage, fields.disabledMessage) ?? null,
    locked: readFlag(dialect.locked, values.locked, fields.locked),
    lockedMessage: readOptionalText(values.lockedMessage, fields.lockedMessage) ?? null,
    skipped,
    otherFields: listOtherFields(dialect, document),
  };
}

/** Whether the current configuration must be read before a change can be written. */
export function needsCurrentConfig({ write, timeouts }: AppConfigDialect, patch: HeliumAppConfigPatch): boolean {
  return write.style === 'whole' || (timeouts.form === 'list' && patch.processEntryPointTimeouts !== undefined);
}

/**
 * Returns the body of a change.
 *
 * @param current the response that was read before, if `needsCurrentConfig`.
 */
export function writeAppConfig(dialect: AppConfigDialect, patch: HeliumAppConfigPatch, current?: unknown): unknown {
  const { fields, timeouts, write, object: position } = dialect;
  const isWhole = write.style === 'whole';
  const before = current === undefined ? {} : requireConfigObject(dialect, current);
  const { processEntryPointTimeouts: changes, disabled, locked, ...others } = patch;
  const oldTimeouts = readPath(before, fields.processEntryPointTimeouts);
  const isComplete = isWhole || timeouts.form === 'list';
  const values = {
    ...others,
    disabled: toSpelling(dialect.disabled, disabled),
    locked: toSpelling(dialect.locked, locked),
    processEntryPointTimeouts:
      changes && (isComplete ? changeTimeouts(timeouts, oldTimeouts, changes) : toTimeoutsPatch(timeouts, changes)),
  };
  const written = writeFields(fields, values, isWhole ? before : {});
  return writePath(isWhole ? current : {}, position, written);
}

function requireConfigObject({ object: position }: AppConfigDialect, document: unknown): JsonObject {
  const object = readPath(document, position);
  if (!isJsonObject(object)) throw new UnreadableResponse(`${describePosition(position)} is not an object`);
  return object;
}

function readMaximum(value: unknown, field: string): number {
  if (value === undefined || value === null) return defaultMaxDatabaseResults;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new UnreadableResponse(`${field}: ${showValue(value)} is not a whole number above 0`);
}

function listOtherFields({ object, fields }: AppConfigDialect, document: unknown): string[] {
  const named = Object.values(fields).map((field) => (object === '$' ? field : `${object}.${field}`));
  return list(document, '');

  /** A field is opened only on the way to a named one. */
  function list(part: unknown, path: string): string[] {
    if (!isJsonObject(part)) return [];
    return Object.entries(part).flatMap(([name, value]) => {
      const inner = path === '' ? name : `${path}.${name}`;
      if (named.includes(inner)) return [];
      return named.some((field) => field.startsWith(`${inner}.`)) ? list(value, inner) : [inner];
    });
  }
}

interface Flag {
  readonly yes: Spelling;
  readonly no: Spelling;
}

function readFlag({ yes, no }: Flag, value: unknown, field: string): boolean {
  if (value === yes) return true;
  if (value === no) return false;
  throw new UnreadableResponse(`${field}: ${showValue(value)} is neither ${showValue(yes)} nor ${showValue(no)}`);
}

function toSpelling({ yes, no }: Flag, value: boolean | undefined): Spelling | undefined {
  if (value === undefined) return undefined;
  return value ? yes : no;
}
