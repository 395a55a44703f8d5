import { PagerDutyCalls, type PagerDutyCallsOptions } from './pager-duty-calls.ts';
import { PagerDutyPeople } from './pager-duty-people.ts';

/** What all schedules that are read with one token share: its limits, and the people. */
export interface PagerDutyAccount {
  readonly calls: PagerDutyCalls;
  readonly people: PagerDutyPeople;
}

export function createPagerDutyAccount(options: PagerDutyCallsOptions): PagerDutyAccount {
  const calls = new PagerDutyCalls(options);
  return { calls, people: new PagerDutyPeople(calls) };
}
