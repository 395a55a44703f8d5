import type { Spelling } from '../helium/dialect/dialect.config.ts';

/** How platforms write yes and no. */
const pairs: readonly (readonly [yes: Spelling, no: Spelling])[] = [
  [true, false],
  ['Enabled', 'Disabled'],
  ['ENABLED', 'DISABLED'],
  ['enabled', 'disabled'],
  ['ACTIVE', 'INACTIVE'],
  ['Active', 'Inactive'],
  ['active', 'inactive'],
  ['LOCKED', 'UNLOCKED'],
  ['Locked', 'Unlocked'],
  ['RUNNING', 'PAUSED'],
  ['true', 'false'],
  ['TRUE', 'FALSE'],
  ['Yes', 'No'],
  ['YES', 'NO'],
  ['yes', 'no'],
  ['Y', 'N'],
  ['ON', 'OFF'],
  ['On', 'Off'],
  ['on', 'off'],
  [1, 0],
  ['1', '0'],
];

export interface YesNo {
  readonly yes: Spelling;
  readonly no: Spelling;
}

/**
 * Returns the spelling of the values, the configured one if it fits; undefined if none is known.
 */
export function findSpelling(values: readonly unknown[], configured: YesNo): YesNo | undefined {
  const known = [configured, ...pairs.map(([yes, no]) => ({ yes, no }))];
  return known.find(({ yes, no }) => values.every((value) => value === yes || value === no));
}

export function invert({ yes, no }: YesNo): YesNo {
  return { yes: no, no: yes };
}
