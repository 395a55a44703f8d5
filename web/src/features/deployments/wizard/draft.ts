import type { mergeSchedule, Schedule } from '@portal/contract/deployments';
import {
  defaultDeploymentTime,
  findReleaseError,
  findSelectionError,
  getForeignUrlSentence,
  instructionsWhenEmpty,
  isWeekend,
  parseTag,
  type ReleaseDraft,
  readTagDay,
  splitTag,
  wizardSentences,
} from '@portal/contract/deployments-rules';
import type { RequestOf } from '@portal/contract/endpoint';
import * as z from 'zod/mini';
import { parseWallClock, toWallClock } from '../../../format/wall-clock.ts';

const text = z._default(z.string(), '');
const choice = z._default(z.nullable(z.string()), null);

/** The fields in the order of the wizard. Each has a default, so that older drafts can be read. */
const fieldsSchema = z.object({
  dataSource: choice,
  team: choice,
  jiraProject: choice,
  appIds: z._default(z.array(z.string()), []),
  releaseTag: text,
  releaseGroup: text,
  releaseName: text,
  /** 'YYYY-MM-DD HH:mm:ss' in the environment's time zone. */
  deploymentDate: choice,
  instructions: text,
});
/** The values of the wizard's fields. */
export type DraftFields = z.infer<typeof fieldsSchema>;
const fieldNames = z.keyof(fieldsSchema).options;

export const draftSchema = z.object({
  fields: fieldsSchema,
  step: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  /** The revision of the schedule that the fields were filled from; null for a new schedule. */
  expected: z.nullable(z.number()),
  /** Epoch milliseconds of the last change; null if nothing has changed. */
  changedAt: z.nullable(z.number()),
});
export type Draft = z.infer<typeof draftSchema>;

export const emptyDraft: Draft = { fields: fieldsSchema.parse({}), step: 0, expected: null, changedAt: null };

export function toDraftFields(schedule: Schedule, timeZone: string): DraftFields {
  const { dataSource, team, jiraProject, appIds, releaseTag, releaseGroup, releaseName, instructions } = schedule;
  return {
    dataSource,
    team,
    jiraProject,
    appIds,
    releaseTag,
    releaseGroup,
    releaseName,
    deploymentDate: toWallClock(new Date(schedule.deploymentDate), timeZone),
    instructions: instructions === instructionsWhenEmpty ? '' : instructions,
  };
}

export function draftToUpdate(schedule: Schedule, timeZone: string): Draft {
  return { ...emptyDraft, fields: toDraftFields(schedule, timeZone), expected: schedule.revision };
}

/**
 * Returns a draft for a new schedule like this one, without the date and the tag, which belong to
 * one release only.
 */
export function draftToClone(schedule: Schedule, timeZone: string): Draft {
  return { ...emptyDraft, fields: { ...toDraftFields(schedule, timeZone), deploymentDate: null, releaseTag: '' } };
}

export function toRelease(fields: DraftFields, timeZone: string): ReleaseDraft {
  return { ...fields, deploymentDate: parseWallClock(fields.deploymentDate, timeZone) };
}

/** The fields that the name of a tag fills in. */
export type TagFields = Partial<Pick<DraftFields, 'releaseGroup' | 'releaseName' | 'deploymentDate'>>;

interface Clock {
  readonly timeZone: string;
  readonly now: Date;
}

/**
 * Returns what the tag says about fields that are empty or still as the former tag said. Its day is
 * left out if no deployment is possible on it, and the name as well if it is not a date.
 */
export function readTagFields(
  fields: DraftFields,
  former: TagFields,
  { product, ...clock }: Clock & { readonly product: string },
): TagFields {
  const parts = splitTag(parseTag(fields.releaseTag) ?? '');
  if (parts === null) return {};
  const { group, day } = parts;
  const isOpen = (name: keyof TagFields) => !fields[name]?.trim() || fields[name] === former[name];
  const date = readTagDay(day);
  return {
    ...(isOpen('releaseGroup') && { releaseGroup: group }),
    ...(isOpen('releaseName') && date !== null && { releaseName: `${product} - ${day}` }),
    ...(isOpen('deploymentDate') &&
      date !== null &&
      findDayProblem(date, clock) === null && { deploymentDate: `${date} ${defaultDeploymentTime}` }),
  };
}

/** Returns why the day of the tag was not filled in, as a sentence; null if it was, or could be. */
export function findTagDayProblem({ releaseTag, deploymentDate }: DraftFields, clock: Clock): string | null {
  const parts = splitTag(parseTag(releaseTag) ?? '');
  if (parts === null || deploymentDate !== null) return null;
  const date = readTagDay(parts.day);
  if (date === null) return `The tag ends in ${parts.day}, which is not a date.`;
  const problem = findDayProblem(date, clock);
  return problem === null ? null : `The tag says ${date}, ${problem}. Choose another day.`;
}

function findDayProblem(day: string, { timeZone, now }: Clock): string | null {
  const at = parseWallClock(`${day} ${defaultDeploymentTime}`, timeZone);
  if (at === null) return `when there is no ${defaultDeploymentTime}`;
  if (isWeekend(at, timeZone)) return 'which is on a weekend';
  return at > now ? null : 'which is in the past';
}

export interface Rules {
  readonly prefix: string;
  readonly timeZone: string;
  readonly now: Date;
}

/** Returns the first step with an error and its message; null when the draft can be saved. */
export function findDraftError(fields: DraftFields, rules: Rules): { step: 0 | 1; message: string } | null {
  const selection = findSelectionError(fields);
  if (selection !== null) return { step: 0, message: selection };
  const release = findReleaseError(toRelease(fields, rules.timeZone), rules);
  return release === null ? null : { step: 1, message: release };
}

/** Returns the field a wizard message is about; null for any other message. */
export function findField(message: string | null, prefix: string): keyof DraftFields | null {
  if (message === null) return null;
  const { withoutTag, weekend, past, apps, ...named } = wizardSentences;
  if (message === apps) return 'appIds';
  if (message === withoutTag || message === getForeignUrlSentence(prefix)) return 'releaseTag';
  if (message === weekend || message === past) return 'deploymentDate';
  const fields = ['dataSource', 'team', 'jiraProject', 'releaseName', 'releaseGroup', 'deploymentDate'] as const;
  return fields.find((field) => named[field] === message) ?? null;
}

export type MergeFields = RequestOf<typeof mergeSchedule>;

/** Returns what a complete draft saves; null when a required choice or a valid date is missing. */
export function toPayload(
  { fields, expected }: Draft,
  options: { readonly environment: string; readonly timeZone: string; readonly requestKey: string },
): MergeFields | null {
  const { dataSource, team, jiraProject, instructions, ...rest } = fields;
  const deploymentDate = parseWallClock(fields.deploymentDate, options.timeZone);
  if (dataSource === null || team === null || jiraProject === null || deploymentDate === null) return null;
  return {
    ...rest,
    dataSource,
    team,
    jiraProject,
    releaseTag: fields.releaseTag.trim(),
    releaseGroup: fields.releaseGroup.trim(),
    releaseName: fields.releaseName.trim(),
    deploymentDate: deploymentDate.toISOString(),
    instructions: instructions.trim() || instructionsWhenEmpty,
    environment: options.environment,
    requestKey: options.requestKey,
    ...(expected !== null && { expected }),
  };
}

/** Whether a saved schedule matches the fields that were sent. */
export function matchesPayload(saved: Schedule, sent: MergeFields): boolean {
  return fieldNames.every((name) => toComparable(name, saved[name]) === toComparable(name, sent[name]));
}

/** Converts a value for comparison: dates by instant, lists regardless of order. */
function toComparable(
  name: keyof DraftFields,
  value: string | readonly string[] | undefined,
): string | number | undefined {
  if (typeof value === 'object') return JSON.stringify(value.toSorted());
  return name === 'deploymentDate' ? Date.parse(value ?? '') : value;
}
