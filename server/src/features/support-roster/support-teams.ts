import type { OnCall } from '@portal/contract/support-roster';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { NotFound } from '@portal/kit/problems';
import type { CalendarExpander } from '@portal/platforms/roster/calendar/calendar-expander';
import { createCalendarSource } from '@portal/platforms/roster/calendar/calendar-source';
import { createPagerDutySource } from '@portal/platforms/roster/pager-duty/pager-duty-source';
import type { RosterSource } from '@portal/platforms/roster/roster-source';
import type { ServedEnvironment } from '../../platform/environments.ts';
import { ExternalRoster } from './external-roster/external-roster.ts';
import { RosterMemory } from './external-roster/roster-memory.ts';
import { PeopleList } from './phone-numbers.ts';
import { ownRoster } from './portal-roster/own-roster.ts';
import { readOnCall } from './read-on-call.ts';
import type { SupportRosterConfig, TeamConfig } from './support-roster.config.ts';
import type { SupportTeam } from './support-team.ts';

/** Calendars may be megabytes each. */
const mostAtOnce = 8;

export interface SupportTeamsOptions {
  readonly config: SupportRosterConfig;
  readonly environments: readonly ServedEnvironment[];
  readonly pool: Pool;
  readonly logger: Logger;
  readonly expander: CalendarExpander;
  readonly now?: () => Date;
}

/** The support teams of every environment, as configured, and what is kept of their rosters. */
export class SupportTeams {
  readonly people: PeopleList;
  readonly #options: SupportTeamsOptions;
  readonly #byEnvironment: ReadonlyMap<string, readonly SupportTeam[]>;
  readonly #kept: ExternalRoster[] = [];

  constructor(options: SupportTeamsOptions) {
    this.#options = options;
    this.people = new PeopleList(options.config.people);
    this.#byEnvironment = new Map(
      options.environments.map((environment) => [
        environment.name,
        options.config.teams
          .filter(({ environments }) => environments === undefined || environments.includes(environment.name))
          .map((team) => this.#serve(team, environment)),
      ]),
    );
  }

  /** In the order of the configuration. */
  of(environment: string): readonly SupportTeam[] {
    return this.#byEnvironment.get(environment) ?? [];
  }

  /** Throws NotFound. */
  require(environment: string, name: string): SupportTeam {
    const team = this.of(environment).find((one) => one.name === name);
    if (!team) throw new NotFound(`There is no support team ${name} in ${environment}.`);
    return team;
  }

  /** Who is on support of each team of the environment at that moment. */
  onCall(environment: string, now: Date): Promise<OnCall[]> {
    return Promise.all(this.of(environment).map((team) => readOnCall(team, this.people, now)));
  }

  /**
   * Reads what comes from elsewhere anew. Problems are for those who ask, and told to the log when
   * they begin and end.
   */
  async refresh(): Promise<void> {
    const waiting = [...this.#kept];
    const readOn = async () => {
      for (let kept = waiting.shift(); kept; kept = waiting.shift()) await kept.refresh();
    };
    await Promise.all(Array.from({ length: mostAtOnce }, readOn));
  }

  #serve(team: TeamConfig, { name: environment, timeZone }: ServedEnvironment): SupportTeam {
    const { pool, logger, now } = this.#options;
    const source = this.#sourceOf(team, timeZone);
    if (!source) return ownRoster(pool, environment, team.name);
    const tell = (problem: string | null) =>
      problem === null
        ? logger.info({ environment, team: team.name }, 'the support roster is read again')
        : logger.warn({ environment, team: team.name, reason: problem }, 'the support roster cannot be read');
    const memory = new RosterMemory(pool, { environment, team: team.name, source: this.#placeOf(team) }, logger);
    const kept = new ExternalRoster(source, { timeZone, memory, tell, ...(now && { now }) });
    this.#kept.push(kept);
    return { name: team.name, environment, kind: source.kind, read: (span) => kept.read(span) };
  }

  /** Tells one source from all others. */
  #placeOf({ calendar, pagerDutySchedule }: TeamConfig): string {
    return calendar?.reveal() ?? `${this.#options.config.pagerDuty?.baseUrl} ${pagerDutySchedule}`;
  }

  #sourceOf({ name, calendar, pagerDutySchedule }: TeamConfig, timeZone: string): RosterSource | undefined {
    const { config, expander } = this.#options;
    if (calendar) return createCalendarSource({ team: name, address: calendar, timeZone, expander });
    if (!pagerDutySchedule || !config.pagerDuty) return undefined;
    const hasNumberFor = (person: string) => this.people.numberOf(person) !== undefined;
    return createPagerDutySource({ team: name, ...config.pagerDuty, scheduleId: pagerDutySchedule, hasNumberFor });
  }
}
