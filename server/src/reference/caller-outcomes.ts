import { undoConfigChange } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAction, needsSession, type Rules } from '@portal/contract/rules';
import { endSession } from '@portal/contract/sessions';
import { deletePortalShift, revealNumber } from '@portal/contract/support-roster';
import type { SyncBase } from '@portal/contract/sync/base';
import type * as z from 'zod/mini';
import { isReading, listRefusals } from '../access/policy.ts';

/** The callers whose outcomes are documented, with the headings of their columns. */
export const callers = {
  anonymous: 'Anonymous',
  readOnly: 'Read-only',
  viewer: 'Viewer',
  otherTeam: 'Other team',
  otherApp: 'Other app',
  otherEnvironment: 'Wrong base',
} as const;

export type CallerKind = keyof typeof callers;

/**
 * The status of a refusal; 'ok' if the caller is let in; 'own' if the call cannot name what is not
 * the caller's, and does what it says for the caller's own.
 */
export type CallerOutcome = number | 'ok' | 'own';

/** A call, or a frame of a socket. */
export interface Declared extends Rules {
  readonly method: string;
  readonly path: string;
  readonly base?: SyncBase | undefined;
  readonly request: z.core.$ZodType | null;
}

const socketMethod = 'WebSocket';
const viewerRefusals = listRefusals([{ role: 'viewer', users: 'everyone' }], {
  username: '',
  environment: 'Production',
});

type Outcomes = Readonly<Record<CallerKind, CallerOutcome>>;

const ofRosterEntry = { otherEnvironment: 404 };

/** What does not follow from the declaration of a call, by its path. */
const exceptions: Readonly<Record<string, Partial<Outcomes>>> = {
  // Without credentials, it lists the apps of the session.
  [getApps.path]: { anonymous: 401 },
  // The session that is named is another user's.
  [endSession.path]: { readOnly: 404, viewer: 404, otherTeam: 404, otherApp: 404, otherEnvironment: 404 },
  // A user who can change nothing has nothing to undo.
  [undoConfigChange.path]: { readOnly: 404 },
  // They name a person or a shift of a roster.
  [revealNumber.path]: ofRosterEntry,
  [deletePortalShift.path]: ofRosterEntry,
};

/** Returns what the declaration promises each caller. */
export function deriveOutcomes(declared: Declared): Outcomes {
  return {
    anonymous: deriveAnonymous(declared),
    readOnly: toCode(declared, deriveReadOnly(declared)),
    viewer: toCode(declared, deriveViewer(declared)),
    otherTeam: toCode(declared, deriveOtherTeam(declared)),
    otherApp: toCode(declared, deriveOtherApp(declared)),
    otherEnvironment: toCode(declared, deriveOtherEnvironment(declared)),
    ...exceptions[declared.path],
  };
}

/** A socket that was opened is closed with a code in place of a status. */
function toCode({ method }: Declared, outcome: CallerOutcome): CallerOutcome {
  return method === socketMethod && typeof outcome === 'number' ? 4000 + outcome : outcome;
}

/** The outcome for everyone who is signed in, where the call needs no right. */
function deriveSignedIn({ may }: Declared): CallerOutcome {
  return may === 'secret-address' ? 404 : 'ok';
}

/** Like `deriveSignedIn`, for a call that cannot name what is not the caller's. */
function deriveOwn(declared: Declared): CallerOutcome {
  const outcome = deriveSignedIn(declared);
  return outcome === 'ok' ? 'own' : outcome;
}

function deriveAnonymous(declared: Declared): CallerOutcome {
  const { may } = declared;
  return needsSession(may) || may === 'session-or-token' ? 401 : deriveSignedIn(declared);
}

function deriveReadOnly(declared: Declared): CallerOutcome {
  return isChange(declared) ? 403 : deriveSignedIn(declared);
}

function deriveViewer(declared: Declared): CallerOutcome {
  const action = getAction(declared.may);
  return action !== null && viewerRefusals[action] !== undefined ? 403 : deriveSignedIn(declared);
}

function deriveOtherTeam(declared: Declared): CallerOutcome {
  if (names(declared, 'app', 'apps', 'schema', 'grant')) return 404;
  if (names(declared, 'integration')) return 400;
  return isChange(declared) ? 403 : deriveSignedIn(declared);
}

function deriveOtherApp(declared: Declared): CallerOutcome {
  if (names(declared, 'app', 'apps', 'schema', 'grant')) return 404;
  // The apps of a schedule are checked like its other fields.
  if (names(declared, 'integration') || hasField(declared, 'appIds')) return 400;
  // A server holds the apps of others, too. A dashboard of others can be read, but not changed.
  if (names(declared, 'databaseHost') || declared.may === 'dashboards.change') return 403;
  // SQL to run by hand works on any schema of that name.
  return names(declared, 'anySchema') ? 'ok' : deriveOwn(declared);
}

function deriveOtherEnvironment(declared: Declared): CallerOutcome {
  const { base, may } = declared;
  if (base !== undefined) return 400;
  if (getAction(may)?.startsWith('deployments.')) return 403;
  if (hasField(declared, 'environment') || hasField(declared, 'baseUrl')) return 403;
  if (names(declared, 'databaseHost', 'integration')) return 400;
  // A dashboard that is saved is a new one of the caller's environment.
  const isSaved = names(declared, 'apps');
  if (names(declared, 'grant') || (names(declared, 'dashboard') && !isSaved)) return 404;
  return deriveOwn(declared);
}

function isChange({ may }: Declared): boolean {
  const action = getAction(may);
  return action !== null && !isReading(action);
}

function names({ about }: Declared, ...subjects: readonly (keyof Rules['about'])[]): boolean {
  return subjects.some((subject) => typeof about[subject] === 'string');
}

function hasField({ request }: Declared, field: string): boolean {
  if (request === null) return false;
  const { def } = (request as z.core.$ZodTypes)._zod;
  return def.type === 'object' && field in def.shape;
}
