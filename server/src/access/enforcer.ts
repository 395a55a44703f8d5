import type { ResourceKind } from '@portal/contract/resource-kind';
import { getAction, type Recorded, type Rules, type Subject } from '@portal/contract/rules';
import { Invalid } from '@portal/kit/problems';
import { type AuditRecord, type AuditTrail, type Resource, toOutcome } from '../audit/audit-trail.ts';
import type { Caller } from '../session/caller.ts';
import { UnlistedApp } from './app-access.ts';
import { requireAvailable } from './availability.ts';
import type { Permissions } from './permissions.ts';
import { isReading } from './policy.ts';
import { type Fields, type Finders, type Found, findApps, type SubjectRequest, type Subjects } from './subjects.ts';

/**
 * What a handler adds to the entry that records its call. Never a secret: entries cannot be
 * deleted.
 */
export type Noted = {
  -readonly [Field in 'description' | 'resource' | 'resourceName' | 'before' | 'after' | 'reason']?: AuditRecord[Field];
} & {
  /** One of the declared actions, if there are several. */
  action?: string;
  /** Set if the call turns out to change nothing; then it is not recorded. */
  changesNothing?: true;
  /** Replaces the one entry by one for each of several targets, with its own outcome. */
  each?: readonly NotedTarget[];
  /** Work that continues after the response. It is recorded when it ends. */
  job?: Promise<unknown>;
};

export type NotedTarget = Partial<Omit<AuditRecord, 'action'>>;

/** What a call is about, as found for the caller. */
export interface FoundSubjects<R extends Rules> {
  /** By the name of the subject. */
  readonly values: { readonly [S in keyof R['about'] & keyof Subjects]: Subjects[S] };
  readonly resource?: Resource;
  readonly resourceName?: string;
}

export interface EnforcerOptions {
  readonly permissions: Permissions;
  readonly audit: AuditTrail;
  readonly finders: Partial<Finders>;
}

/** Enforces the rules that endpoints and sockets declare. */
export class Enforcer {
  readonly #options: EnforcerOptions;

  constructor(options: EnforcerOptions) {
    this.#options = options;
  }

  /** Throws Refused if the caller may not do this to anything, before it matters what exists. */
  async requireRole(caller: Caller, { may, about, recorded }: Rules, fields: Fields): Promise<void> {
    const action = getAction(may);
    const { permissions } = this.#options;
    if (recorded && !recorded.isView)
      await permissions.requireWritable(caller, action ?? toAction(recorded), findNamed(about, fields));
    if (action === null) return;
    requireAvailable(caller.environment, action);
    if (permissions.getRefusals(caller)[action] !== undefined)
      await permissions.require(caller, action, { resource: findNamed(about, fields) });
  }

  /**
   * Finds what the call is about. Throws the problem of the finder if the caller has no such
   * subject, and Refused unless the caller has the right to it.
   */
  async find<R extends Rules>(
    caller: Caller,
    { may, about, recorded }: R,
    fields: Fields,
    signal?: AbortSignal,
  ): Promise<FoundSubjects<R>> {
    const action = getAction(may);
    const { permissions } = this.#options;
    const resource = findNamed(about, fields);
    const request = { caller, action: action ?? 'apps.view', fields, signal };
    const found = await this.#find(about, request).catch(async (error: unknown) => {
      if (recorded && !recorded.isView && !(error instanceof UnlistedApp))
        await this.#write(caller, recorded, { ...(resource !== undefined && { resource }) }, error);
      throw error;
    });
    const subjects = Object.values(found);
    const apps = subjects.find((each) => each.apps)?.apps;
    const team = subjects.find((each) => each.team !== undefined)?.team;
    const owner = subjects.find((each) => each.owner !== undefined)?.owner;
    // Without a name, all of the environment is read, but a change is rejected by its handler. A
    // list of teams leaves out those that the caller may not see.
    const isNamed = subjects.length > 0 || Object.keys(about).length === 0;
    const isReadWhole = action !== null && isReading(action) && !('team' in about);
    const isChange = recorded !== false && !recorded.isReveal && !recorded.isView;
    if (action !== null && (isNamed || isReadWhole))
      await permissions.require(caller, action, { resource, apps, team, owner, isChange });
    const { resource: foundResource, resourceName } = subjects[0] ?? {};
    const values = Object.fromEntries(Object.entries(found).map(([subject, { value }]) => [subject, value]));
    return {
      // Each finder returns the type of its subject, which the compiler does not see here.
      values: values as FoundSubjects<R>['values'],
      ...(foundResource !== undefined && { resource: foundResource }),
      ...(resourceName !== undefined && { resourceName }),
    };
  }

  /** Requires the role and finds what the call is about. */
  async authorize<R extends Rules>(caller: Caller, rules: R, fields: Fields): Promise<FoundSubjects<R>> {
    await this.requireRole(caller, rules, fields);
    return this.find(caller, rules, fields);
  }

  /**
   * Runs the work and records its outcome, with what it noted. Throws TrailUnavailable instead of
   * returning what must not be revealed without an entry. Views are recorded only if they succeed.
   */
  async record<Result>(
    caller: Caller,
    recorded: Recorded,
    { resource, resourceName }: Pick<FoundSubjects<Rules>, 'resource' | 'resourceName'>,
    work: (noted: Noted) => Promise<Result> | Result,
  ): Promise<Result> {
    const noted: Noted = {
      ...(resource !== undefined && { resource }),
      ...(resourceName !== undefined && { resourceName }),
    };
    let result: Result;
    try {
      result = await work(noted);
      if (recorded.isReveal) return await this.#reveal(caller, recorded, noted, result);
    } catch (error) {
      if (recorded.isView) throw error;
      await this.#write(caller, recorded, noted, error);
      throw error;
    }
    if (recorded.isView)
      for (const record of toRecords(recorded, noted)) await this.#options.audit.writeView(caller, record);
    else if (noted.job)
      noted.job.then(
        () => this.#write(caller, recorded, noted),
        (error: unknown) => this.#write(caller, recorded, noted, error),
      );
    else await this.#write(caller, recorded, noted);
    return result;
  }

  async #reveal<Result>(caller: Caller, recorded: Recorded, noted: Noted, result: Result): Promise<Result> {
    try {
      for (const record of toRecords(recorded, noted)) await this.#options.audit.writeFirst(caller, record);
      return result;
    } catch (error) {
      if (result instanceof ReadableStream) await result.cancel();
      throw error;
    }
  }

  async #find(about: Rules['about'], request: SubjectRequest): Promise<Readonly<Record<string, Found>>> {
    const { finders } = this.#options;
    const found: Record<string, Found> = {};
    for (const [subject, field] of listFields(about)) {
      const named = readField(request.fields, field);
      if (named === undefined) continue;
      if (subject === 'apps' && isTexts(named)) {
        found[subject] = await findApps(named, request);
        continue;
      }
      // Only a query that its schema does not check may repeat a field.
      if (typeof named !== 'string') throw new Invalid(`Send only one ${field}.`);
      const find = isFinder(subject, finders) ? finders[subject] : undefined;
      if (!find) throw new Error(`there is no finder for ${subject}`);
      found[subject] = await find(named, request);
    }
    return found;
  }

  async #write(caller: Caller, recorded: Recorded, noted: Noted, error?: unknown): Promise<void> {
    // One after the other, to keep the order of the request.
    for (const record of toRecords(recorded, noted, error)) await this.#options.audit.write(caller, record);
  }
}

function toRecords(recorded: Recorded, noted: Noted, error?: unknown): AuditRecord[] {
  const { changesNothing, each = [{}], job: _, ...entry } = noted;
  if (changesNothing) return [];
  const outcome = error === undefined ? { outcome: 'done' as const } : toOutcome(error);
  const declared = { action: toAction(recorded), description: recorded.description };
  return each.map((target) => ({ ...declared, ...entry, ...outcome, ...target }));
}

/** Returns the action that a call records, unless it notes another one. */
function toAction({ action }: Recorded): string {
  return typeof action === 'string' ? action : action[0];
}

function isFinder(subject: string, finders: Partial<Finders>): subject is keyof Finders {
  return Object.hasOwn(finders, subject);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Returns each subject that the call names, with its field. */
function listFields(about: Rules['about']): [subject: Subject, field: string][] {
  return Object.entries(about).filter((entry): entry is [Subject, string] => entry[1] !== null);
}

/** Returns the value of a field such as 'config.helium.appId'. */
function readField(fields: Fields, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (typeof value === 'object' && value ? Object(value)[name] : undefined), fields);
}

/** Returns the first thing that the call names, unless it names several. */
function findNamed(about: Rules['about'], fields: Fields): Resource | undefined {
  for (const [subject, field] of listFields(about)) {
    const named = readField(fields, field);
    const [id, ...others] = isTexts(named) ? named : [named];
    if (typeof id === 'string' && others.length === 0) return { kind: toKind(subject), id };
  }
  return undefined;
}

function toKind(subject: Subject): ResourceKind {
  if (subject === 'apps') return 'app';
  return subject === 'anySchema' ? 'schema' : subject;
}
