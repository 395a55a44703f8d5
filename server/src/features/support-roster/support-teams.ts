import type { OnCall } from '@portal/contract/support-roster';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { NotFound, type Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { CalendarExpander } from '@portal/platforms/roster/calendar/calendar-expander';
import { createCalendarSource } from '@portal/platforms/roster/calendar/calendar-source';
import { createPagerDutyAccount, type PagerDutyAccount } from '@portal/platforms/roster/pager-duty/pager-duty-account';
import { createPagerDutySource } from '@portal/platforms/roster/pager-duty/pager-duty-source';
import type { RosterSource } from '@portal/platforms/roster/roster-source';
import type { Finder } from '../../access/subjects.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';
import { ExternalRoster } from './external-roster/external-roster.ts';
import { RosterCache } from './external-roster/roster-cache.ts';
import { PeopleList } from './phone-numbers.ts';
import { PortalRosters } from './portal-roster/portal-rosters.ts';
import { type OnCallQuery, type RosterGaps, readGaps, readOnCall } from './read-on-call.ts';
import type { SupportRosterConfig, TeamConfig } from './support-roster.config.ts';
import type { SupportTeam } from './support-team.ts';

declare module '../../access/subjects.ts' {
  interface Subjects {
    readonly team: SupportTeam;
  }
}

/** Finds a support team of the caller's environment. */
export function supportTeamFinder(teams: SupportTeams): Finder<SupportTeam> {
  return (name, { caller }) => {
    const team = teams.require(caller.environment.name, name);
    return { value: team, resource: { kind: 'team', id: team.name }, team: team.name };
  };
}

/** A calendar may be several megabytes. */
const maxConcurrent = 8;

export interface SupportTeamsOptions {
  readonly config: SupportRosterConfig;
  readonly environments: readonly ServedEnvironment[];
  readonly pool: Pool;
  readonly logger: Logger;
  readonly expander: CalendarExpander;
  readonly now?: () => Date;
}

/** Provides the configured support teams of every environment and caches their rosters. */
export class SupportTeams {
  readonly people: PeopleList;
  readonly #options: SupportTeamsOptions;
  readonly #byEnvironment: ReadonlyMap<string, readonly SupportTeam[]>;
  readonly #external: { readonly kind: RosterSource['kind']; readonly roster: ExternalRoster }[] = [];
  readonly #pagerDuty: PagerDutyAccount | undefined;
  /** One for each team: its environments share what is read. */
  readonly #schedules = new Map<TeamConfig, RosterSource>();
  readonly #portalRosters: PortalRosters;

  constructor(options: SupportTeamsOptions) {
    this.#options = options;
    this.people = new PeopleList(options.config.people, { areMasked: options.config.maskNumbers });
    this.#pagerDuty = options.config.pagerDuty && createPagerDutyAccount(options.config.pagerDuty);
    this.#portalRosters = new PortalRosters(options.pool);
    this.#byEnvironment = new Map(
      options.environments.map((environment) => [
        environment.name,
        options.config.teams
          .filter(({ environments }) => environments === undefined || environments.includes(environment.name))
          .map((team) => this.#serve(team, environment)),
      ]),
    );
  }

  /** Lists an environment's teams in configuration order. */
  list(environment: string): readonly SupportTeam[] {
    return this.#byEnvironment.get(environment) ?? [];
  }

  /** Throws NotFound. */
  require(environment: string, name: string): SupportTeam {
    const team = this.list(environment).find((one) => one.name === name);
    if (!team) throw new NotFound(`There is no support team ${shortenValue(name)} in ${environment}.`);
    return team;
  }

  /** Reads who is on call for each team of the environment. */
  onCall(environment: string, query: OnCallQuery): Promise<OnCall[]> {
    return Promise.all(this.list(environment).map((team) => readOnCall(team, this.people, query)));
  }

  /** Reads when no one is on call in each team of the environment. */
  gaps(environment: string, now: Date): Promise<RosterGaps[]> {
    return Promise.all(this.list(environment).map((team) => readGaps(team, now)));
  }

  /**
   * Reads external rosters again. Problems are returned to readers, and logged when they start and
   * end.
   */
  async refresh(): Promise<void> {
    const [calendars, schedules] = (['calendar', 'PagerDuty'] as const).map((kind) =>
      this.#external.flatMap((one) => (one.kind === kind ? [one.roster] : [])),
    );
    const refreshNext = async () => {
      for (let roster = calendars?.shift(); roster; roster = calendars?.shift()) await roster.refresh();
    };
    // The account makes one call at a time, the most urgent of all schedules first.
    const refreshSchedules = schedules?.map((roster) => roster.refresh()) ?? [];
    await Promise.all([...refreshSchedules, ...Array.from({ length: maxConcurrent }, refreshNext)]);
  }

  #serve(team: TeamConfig, { name: environment, timeZone }: ServedEnvironment): SupportTeam {
    const { pool, logger, now } = this.#options;
    const source = this.#createSource(team, timeZone);
    if (!source) return this.#portalRosters.serve(environment, team.name);
    const onHealthChange = (problem: Unreachable | null) =>
      problem === null
        ? logger.info({ environment, team: team.name }, 'reading the support roster works again')
        : logger.warn(
            { environment, team: team.name, reason: problem.message, err: problem.cause },
            'could not read the support roster',
          );
    const cache = new RosterCache(pool, { environment, team: team.name, source: this.#getSourceKey(team) }, logger);
    const roster = new ExternalRoster(source, { timeZone, cache, onHealthChange, ...(now && { now }) });
    this.#external.push({ kind: source.kind, roster });
    return { name: team.name, environment, kind: source.kind, read: (span) => roster.read(span) };
  }

  /** Returns a key that identifies the source. */
  #getSourceKey({ calendar, nameFrom, namePattern, pagerDutySchedule }: TeamConfig): string {
    if (!calendar) return `${this.#options.config.pagerDuty?.baseUrl} ${pagerDutySchedule}`;
    return [calendar.reveal(), nameFrom, namePattern].filter((part) => part !== undefined).join(' ');
  }

  #createSource(team: TeamConfig, timeZone: string): RosterSource | undefined {
    const { name, calendar: address, nameFrom, namePattern, pagerDutySchedule: scheduleId } = team;
    const { expander } = this.#options;
    if (address) {
      const naming = { nameFrom, namePattern, namesByEmail: this.people.namesByEmail };
      return createCalendarSource({ team: name, address, timeZone, naming, expander });
    }
    if (!scheduleId || !this.#pagerDuty) return undefined;
    const hasNumberFor = (person: string) => this.people.findNumber(person) !== undefined;
    const shared = this.#schedules.get(team);
    const source = shared ?? createPagerDutySource({ team: name, account: this.#pagerDuty, scheduleId, hasNumberFor });
    this.#schedules.set(team, source);
    return source;
  }
}
