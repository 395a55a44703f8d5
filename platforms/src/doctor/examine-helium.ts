/**
 * Examines the calls that administer apps. It only reads: GET, or the configured method, and
 * OPTIONS.
 */
import { readAppConfig } from '../helium/dialect/app-config.ts';
import { readAppList } from '../helium/dialect/app-list.ts';
import type { HeliumDialect, Method } from '../helium/dialect/dialect.config.ts';
import { UnreadableResponse } from '../helium/dialect/fields.ts';
import { fillPath } from '../helium/dialect/json-path.ts';
import { readScheduledEvents } from '../helium/dialect/scheduled-events.ts';
import type { HeliumApp } from '../helium/wire.ts';
import { type Answer, ask, explainMissingJson, isSuccess, type Platform } from './ask.ts';
import { candidatePaths } from './candidate-paths.ts';
import { describeShape } from './describe-shape.ts';
import { maskDocument, maskText } from './mask-secrets.ts';
import type { Section } from './report.ts';
import { suggestAppConfig } from './suggest-app-config.ts';
import { suggestAppList } from './suggest-app-list.ts';
import { suggestScheduledEvents } from './suggest-scheduled-events.ts';
import { suggestWrite } from './suggest-write.ts';

/** The number of apps whose configuration and functions are read. */
const maxApps = 10;
const shownCharacters = 500;

export interface HeliumExamination {
  readonly sections: readonly Section[];
  /** The dialect in which most can be read; the configured one if it fits. */
  readonly suggested: HeliumDialect;
  /** The apps that can be read with the suggestion. */
  readonly apps: readonly HeliumApp[];
}

export async function examineHelium(platform: Platform, dialect: HeliumDialect): Promise<HeliumExamination> {
  const list = await findCall(platform, dialect.appList.read, candidatePaths.appList, ['']);
  const appList = { ...suggestAppList(dialect.appList, list.answers[0]?.document), read: list.read };
  const apps = attempt(() => readAppList(appList, list.answers[0]?.document).entries) ?? [];
  const listSection = describeCall('List of apps', list, (answer) => {
    const { entries, skipped } = readAppList(dialect.appList, answer.document);
    return { understood: `${entries.length} apps: ${entries.map(({ name }) => name).join(', ')}`, skipped };
  });
  if (apps.length === 0) {
    const missing = {
      title: 'App configuration, scheduled functions',
      lines: ['not examined without an app'],
      isGood: false,
      isPublic: true,
    } as const;
    return { sections: [listSection, missing], suggested: { ...dialect, appList }, apps };
  }
  const ids = apps.slice(0, maxApps).map(({ id }) => id);
  const config = await findCall(platform, dialect.appConfig.read, candidatePaths.appConfig, ids);
  const events = await findCall(platform, dialect.scheduledEvents.read, candidatePaths.scheduledEvents, ids);
  return {
    sections: [
      listSection,
      describeCall('App configuration', config, ({ document }) => {
        const { skipped, otherFields: _, ...understood } = readAppConfig(dialect.appConfig, document);
        return { understood: JSON.stringify(maskDocument(understood)), skipped };
      }),
      describeCall('Scheduled functions', events, ({ document }) => {
        const { entries, skipped } = readScheduledEvents(dialect.scheduledEvents, document);
        return { understood: `${entries.length} functions`, skipped };
      }),
    ],
    suggested: { appList, ...(await suggestForApps(platform, dialect, config, events, ids)) },
    apps,
  };
}

async function suggestForApps(
  platform: Platform,
  { appConfig, scheduledEvents }: HeliumDialect,
  config: FoundCall,
  events: FoundCall,
  [appId = '']: readonly string[],
) {
  const findAllowed = async ({ read }: FoundCall) =>
    (await ask(platform, 'OPTIONS', fillPath(read.path, { appId }))).allow;
  const toPaths = (configured: string, { read }: FoundCall) => ({ configured, found: read.path });
  return {
    appConfig: {
      ...suggestAppConfig(appConfig, getDocuments(config)),
      read: config.read,
      write: suggestWrite(appConfig.write, toPaths(appConfig.read.path, config), await findAllowed(config)),
    },
    scheduledEvents: {
      ...suggestScheduledEvents(scheduledEvents, getDocuments(events)),
      read: events.read,
      write: suggestWrite(scheduledEvents.write, toPaths(scheduledEvents.read.path, events), await findAllowed(events)),
    },
  };
}

interface ReadCall {
  readonly method: Method;
  readonly path: string;
}

interface FoundCall {
  /** The call that succeeded, or else the configured one. */
  readonly read: ReadCall;
  /** The answer to the configured call if that failed. */
  readonly failed: Answer | undefined;
  /** The answers for the apps, in their order. */
  readonly answers: readonly Answer[];
}

/**
 * Makes the configured call, and if the platform does not know it, the others until one succeeds.
 */
async function findCall(
  platform: Platform,
  configured: ReadCall,
  candidates: readonly string[],
  appIds: readonly string[],
): Promise<FoundCall> {
  const askFor = (read: ReadCall, appId: string) => ask(platform, read.method, fillPath(read.path, { appId }));
  const [firstId = '', ...otherIds] = appIds;
  const askAll = async (read: ReadCall, first: Answer) => {
    const answers = [first];
    for (const appId of otherIds) answers.push(await askFor(read, appId));
    return answers;
  };
  const first = await askFor(configured, firstId);
  if (![404, 405].includes(first.status))
    return { read: configured, failed: undefined, answers: await askAll(configured, first) };
  for (const path of candidates) {
    const read = { method: 'GET', path } as const;
    const answer = await askFor(read, firstId);
    if (isSuccess(answer) && typeof answer.document === 'object')
      return { read, failed: first, answers: await askAll(read, answer) };
  }
  return { read: configured, failed: undefined, answers: [first] };
}

function getDocuments({ answers }: FoundCall): unknown[] {
  return answers.filter(isSuccess).map(({ document }) => document);
}

interface Understanding {
  readonly understood: string;
  readonly skipped: readonly string[];
}

/** @param read reads an answer in the configured dialect; throws UnreadableResponse. */
function describeCall(title: string, { failed, answers }: FoundCall, read: (answer: Answer) => Understanding): Section {
  const [shown] = answers;
  if (shown === undefined) return { title, lines: [], isGood: false };
  const problems = answers.flatMap((answer) => findProblems(answer, read));
  const understanding = attempt(() => read(shown));
  return {
    title,
    lines: [
      ...(failed ? [...describeAnswer(failed), 'Another path was found:'] : []),
      ...describeAnswer(shown),
      ...describeBody(shown),
      `understood: ${understanding?.understood ?? 'nothing'}`,
      ...problems.map((problem) => `not understood: ${maskText(problem)}`),
    ],
    isGood: failed === undefined && problems.length === 0,
    isPublic: true,
  };
}

function describeBody({ text, document }: Answer): string[] {
  if (document === undefined)
    return text === '' ? [] : [`${text.length} characters that are not JSON, and may hold secrets, are not shown`];
  const masked = maskDocument(document);
  return [
    JSON.stringify(masked).slice(0, shownCharacters),
    'shape:',
    ...describeShape(masked).map((line) => `  ${line}`),
  ];
}

function describeAnswer({ request, status, contentType, allow, failure }: Answer): string[] {
  const allowed = allow.length > 0 ? `, allows ${allow.join(', ')}` : '';
  return [request, failure ?? `status ${status}, ${contentType}${allowed}`].map(maskText);
}

function findProblems(answer: Answer, read: (answer: Answer) => Understanding): readonly string[] {
  if (answer.status === 401) return ['the platform does not accept these credentials'];
  const missing = explainMissingJson(answer);
  if (missing !== undefined) return [`${answer.request}: ${missing}`];
  try {
    return read(answer).skipped;
  } catch (error) {
    if (error instanceof UnreadableResponse) return [error.message];
    throw error;
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableResponse) return undefined;
    throw error;
  }
}
