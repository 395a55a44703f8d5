import * as z from 'zod/mini';
import { findScheduleConflicts, scheduleSchema } from './deployments.ts';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

export const maxReleaseStepLength = 200;
const stepText = z.string().check(z.minLength(1), z.maxLength(maxReleaseStepLength));

const releaseStepSchema = z.object({
  step: z.string(),
  /** Who marked it as done, and when (ISO instant); null while it is not done. */
  done: z.nullable(z.object({ by: z.string(), at: z.string() })),
});
export type ReleaseStep = z.infer<typeof releaseStepSchema>;

/** Portal extension: what the page of one release shows besides the state of its apps. */
export const getRelease = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/release/:scheduleId',
  summary: 'Get a release: its schedule, its steps, its conflicts and the team that supports it',
  may: 'deployments.view',
  about: { schedule: 'scheduleId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({
    schedule: scheduleSchema,
    /** The configured steps in order, then done ones that are no longer configured. */
    steps: z.array(releaseStepSchema),
    /** Other deployments close to it; empty once it is resolved. */
    conflicts: findScheduleConflicts.response,
    /** Who set the current tag, and when; null if unknown. */
    tagSet: z.nullable(z.object({ by: z.string(), at: z.string() })),
    /** The support team of the schedule's team, if the caller may see its roster. */
    supportTeam: z.nullable(z.string()),
    /** Support teams with a similar name, where none belongs to the schedule's team. */
    similarTeams: z.array(z.string()),
  }),
});

/** Portal extension: 409 for a resolved deployment. Repeating a mark changes nothing. */
export const markReleaseStep = endpoint({
  method: 'POST',
  path: '/portal-backend/api/deployment/step/:scheduleId',
  summary: 'Mark a step of a release as done, or as not done',
  may: 'deployments.change',
  about: { schedule: 'scheduleId' },
  recorded: { action: 'deployment.step', description: 'Step of a deployment marked' },
  cost: light(),
  request: z.object({ step: stepText, isDone: z.boolean() }),
  response: z.array(releaseStepSchema),
});
