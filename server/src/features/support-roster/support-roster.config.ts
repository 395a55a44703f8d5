import { secretText } from '@portal/kit/config';
import { calendarAddress, webAddress } from '@portal/kit/web-address';
import { z } from 'zod';

const name = z.string().trim().min(1).max(200);

const team = z
  .strictObject({
    name: name.meta({ description: 'Name of the team.', example: 'Health support' }),
    environments: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'Environments of the team; all if omitted.', example: ['Production'] }),
    deploymentTeams: z
      .array(name)
      .optional()
      .meta({
        description: 'Deployment teams that this team supports. One with the same name need not be listed.',
        example: ['Health Team'],
      }),
    calendar: calendarAddress.optional().meta({
      description:
        'Address of an iCalendar feed whose events are the shifts. Without it and `pagerDutySchedule`, the roster is managed in the portal. `webcal://` is read as `https://`. A user name and password in it are sent with HTTP Basic. Never shown.',
      example: `\${HEALTH_ROSTER_URL}`,
    }),
    nameFrom: z.enum(['title', 'attendee']).optional().meta({
      description:
        'Who is on support by an event of the calendar: the person in its title (its attendees if it has none), or its attendees. Rooms, resources and people who declined never are.',
      example: 'attendee',
    }),
    namePattern: z.string().min(1).refine(isPattern, 'is not a regular expression').optional().meta({
      description:
        'Regular expression for the titles of shifts; other events of the calendar are not shown. Its first group, if it has one, is the name of the person.',
      example: '^On Call - (.+) - Health$',
    }),
    pagerDutySchedule: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Id of the PagerDuty schedule that is the roster, of either kind.', example: 'PI7DH85' }),
  })
  .refine(
    ({ calendar, pagerDutySchedule }) => calendar === undefined || pagerDutySchedule === undefined,
    'must not have both a calendar and a PagerDuty schedule',
  )
  .refine(
    ({ calendar, nameFrom, namePattern }) =>
      calendar !== undefined || (nameFrom === undefined && namePattern === undefined),
    'has `nameFrom` or `namePattern`, but no `calendar`',
  );
export type TeamConfig = z.infer<typeof team>;

/** Settings of support teams and their rosters. */
export const supportRosterConfig = z
  .strictObject({
    teams: z
      .array(team)
      .refine(areNamedOnce, 'two teams have the same name')
      .default([])
      .describe('The support teams.'),
    people: z
      .array(
        z.strictObject({
          name: name.meta({ description: 'Name as in the roster.', example: 'Thabo Mokoena' }),
          number: z.string().min(1).meta({ description: 'Phone number.', example: '+27 82 555 0142' }),
          email: z.email().optional().meta({
            description: 'Email address that stands for the person in calendars.',
            example: 'thabo.mokoena@company.example',
          }),
        }),
      )
      .default([])
      .describe('Phone numbers, for rosters that contain only names.'),
    pagerDuty: z
      .strictObject({
        baseUrl: webAddress
          .default('https://api.pagerduty.com')
          .describe('API address; the European service is at https://api.eu.pagerduty.com.'),
        token: secretText.meta({ description: 'A read-only API key.', example: `\${PAGERDUTY_TOKEN}` }),
      })
      .optional()
      .describe('For teams with a `pagerDutySchedule`.'),
    maskNumbers: z
      .boolean()
      .default(false)
      .describe(
        'Whether phone numbers are masked. Users with the right can then reveal them one by one, and each is recorded. Otherwise everyone who may view the roster of a team sees its numbers, and each view is recorded.',
      ),
    refreshMins: z.number().min(1).default(5).describe('How often calendars and PagerDuty are read, in minutes.'),
  })
  .refine(
    ({ teams, pagerDuty }) => pagerDuty !== undefined || teams.every((one) => one.pagerDutySchedule === undefined),
    'a team has a `pagerDutySchedule`, but there is no `pagerDuty`',
  );
export type SupportRosterConfig = z.infer<typeof supportRosterConfig>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Checks that team names are unique within each environment. */
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
