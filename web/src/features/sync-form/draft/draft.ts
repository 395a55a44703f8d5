import { type ConfigProblem, maskedPassword, type SyncConfig, syncConfigSchema } from '@portal/contract/sync/config';
import { parseNames } from '@portal/contract/sync/config-rules';

/**
 * A configuration as the fields of the form hold it, keyed by path such as 'journey.baseUrl'. Lists
 * are comma-separated text, numbers are text, and an empty password keeps the stored one.
 */
export type Draft = Readonly<Record<string, string | boolean>>;

export const paths = {
  skipTables: 'heliumToJourney.changeLogSkipTables',
  skipObjectTypes: 'journeyToHelium.oplogSkipObjectTypes',
  changeLogMinVersion: 'heliumToJourney.changeLogMinVersionAsString',
  oplogMinVersion: 'journeyToHelium.oplogMinVersionAsString',
  journeyUrl: 'journey.baseUrl',
  userName: 'journey.restAPICredentials.userName',
  password: 'journey.restAPICredentials.password',
  enrollment: 'journeyToHeliumEnrollment',
  maxDeletedPercent: 'maxDeletedPercent',
} as const;

const enrollmentType = `${paths.enrollment}.type`;
const updateInterval = `${paths.enrollment}.updateIntervalMins`;
/** The AsString fields replace these numbers, and `basedOn` is not editable. */
const ignoredPaths: ReadonlySet<string> = new Set([
  'basedOn',
  'heliumToJourney.changeLogMinVersion',
  'journeyToHelium.oplogMinVersion',
]);

export function toDraft(config: SyncConfig): Draft {
  const draft = flatten(config, '');
  const isMasked = draft[paths.password] === maskedPassword;
  return {
    ...draft,
    ...(!('conflictPolicy' in draft) && { conflictPolicy: 'later' }),
    ...((isMasked || !(paths.password in draft)) && { [paths.password]: '' }),
  };
}

function flatten(value: unknown, path: string): Draft {
  if (value === undefined || value === null || ignoredPaths.has(path)) return {};
  if (typeof value === 'boolean') return { [path]: value };
  if (Array.isArray(value)) return { [path]: value.join(',') };
  if (typeof value !== 'object') return { [path]: String(value) };
  const parts = Object.entries(value).map(([name, inner]) => flatten(inner, path === '' ? name : `${path}.${name}`));
  return Object.assign({}, ...parts);
}

/** Returns the configuration of a draft, or its problems by field. */
export function toConfig(
  draft: Draft,
  basedOn: string | null | undefined,
): { readonly config: SyncConfig } | { readonly problems: readonly ConfigProblem[] } {
  // A draft without any name in these groups does not contain them, but the schema requires them.
  const groups = { sessionObjectFieldNames: {}, sessionContainerObjectFieldNames: {} };
  const root: Nested = draft[enrollmentType] === 'session' ? { [paths.enrollment]: groups } : {};
  for (const [path, value] of Object.entries(draft)) setNested(root, path.split('.'), toWireValue(path, value));
  const parsed = syncConfigSchema.safeParse({ ...root, ...(basedOn !== undefined && { basedOn }) });
  if (parsed.success) return { config: parsed.data };
  return { problems: parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), reason: message })) };
}

interface Nested {
  [name: string]: unknown;
}

function setNested(target: Nested, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const next: Nested = isNested(inner) ? inner : {};
  target[name] = next;
  setNested(next, rest, value);
}

function isNested(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null;
}

function toWireValue(path: string, value: string | boolean): unknown {
  if (path === updateInterval) return Number(value);
  if (path === paths.maxDeletedPercent) return toNumber(String(value).trim());
  if (path === paths.skipTables || path === paths.skipObjectTypes) return parseNames(String(value));
  return value;
}

/** Returns undefined, which stands for the default, for an empty text, and NaN for any other. */
function toNumber(text: string): number | undefined {
  if (text === '') return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

const isEnrollmentPath = (path: string) => path.startsWith(`${paths.enrollment}.`);

/** Returns the draft with another enrollment, from a newly loaded template. */
export function withEnrollment(draft: Draft, enrollment: SyncConfig['journeyToHeliumEnrollment']): Draft {
  return { ...pick(draft, (path) => !isEnrollmentPath(path)), ...flatten(enrollment, paths.enrollment) };
}

/**
 * Applies the changes from `base` to `draft` to `next`. Where the modes differ, the enrollment is
 * taken whole from one side.
 */
export function rebase(base: Draft, draft: Draft, next: Draft): Draft {
  const isMine = (path: string) => draft[path] !== base[path];
  if (draft[enrollmentType] === next[enrollmentType]) return { ...next, ...pick(draft, isMine) };
  return {
    ...pick(next, (path) => !isEnrollmentPath(path)),
    ...pick(draft, (path) => !isEnrollmentPath(path) && isMine(path)),
    ...pick(isMine(enrollmentType) ? draft : next, isEnrollmentPath),
  };
}

function pick(draft: Draft, isIncluded: (path: string) => boolean): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([path]) => isIncluded(path)));
}
