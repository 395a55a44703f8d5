import { secretText } from '@portal/kit/config';
import { Secret } from '@portal/kit/secret';
import { z } from 'zod';

const name = z.string().trim().min(1).max(200);

const team = z
  .strictObject({
    name: name.meta({ description: 'As people know it.', example: 'Health support' }),
    environments: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'Whose team it is; of all of them when left out.', example: ['Production'] }),
    calendar: z
      .url({ protocol: /^https?$/ })
      .transform((value) => new Secret(value))
      .optional()
      .meta({
        description:
          'Address of an iCalendar feed whose events are its shifts. Without it and `pagerDutySchedule` the portal keeps the roster itself. Never shown.',
        example: `\${HEALTH_ROSTER_URL}`,
      }),
    pagerDutySchedule: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "The id of PagerDuty's schedule that is its roster.", example: 'PI7DH85' }),
  })
  .refine(
    ({ calendar, pagerDutySchedule }) => calendar === undefined || pagerDutySchedule === undefined,
    'has both a calendar and a schedule of PagerDuty',
  );
export type TeamConfig = z.infer<typeof team>;

/** Who is on support when, and where that is known from. */
export const supportRosterConfig = z
  .strictObject({
    teams: z
      .array(team)
      .refine(areNamedOnce, 'two of them have the same name')
      .default([])
      .describe('The support teams.'),
    people: z
      .array(
        z.strictObject({
          name: name.meta({ description: 'As the roster names them.', example: 'Thabo Mokoena' }),
          number: z.string().min(1).meta({ description: 'The telephone number.', example: '+27 82 555 0142' }),
        }),
      )
      .default([])
      .describe('Telephone numbers, for rosters that only have names.'),
    pagerDuty: z
      .strictObject({
        baseUrl: z
          .url({ protocol: /^https?$/ })
          .default('https://api.pagerduty.com')
          .describe('Its API; the European service is at https://api.eu.pagerduty.com.'),
        token: secretText.meta({ description: 'A read-only API key.', example: `\${PAGERDUTY_TOKEN}` }),
      })
      .optional()
      .describe('For teams with a `pagerDutySchedule`.'),
    refreshMins: z.number().min(1).default(5).describe('How often calendars and PagerDuty are read.'),
  })
  .refine(
    ({ teams, pagerDuty }) => pagerDuty !== undefined || teams.every((one) => one.pagerDutySchedule === undefined),
    'a team has a `pagerDutySchedule`, but there is no `pagerDuty`',
  );
export type SupportRosterConfig = z.infer<typeof supportRosterConfig>;

/** In each environment a name stands for one team. */
function areNamedOnce(teams: readonly TeamConfig[]): boolean {
  return teams.every((one, index) =>
    teams
      .slice(index + 1)
      .every(
        (other) =>
          one.name !== other.name ||
          (one.environments && other.environments?.every((name) => !one.environments?.includes(name))),
      ),
  );
}
