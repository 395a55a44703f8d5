import { expect, test } from 'vitest';
import { hasHiddenValues } from './hidden-values.ts';

test.each([
  `create role clinic password '***'`,
  `create role clinic password E'***' login`,
  'do $$***$$',
  'do $body$***$body$',
  'set app.password = ***',
  'SET app.password TO ***',
  'create table visit (id int) --***\n',
  'create table visit (id int /*****/)',
])('finds the hidden values of %s', (sql) => expect(hasHiddenValues(sql)).toBe(true));

test.each([
  'select $1 from visit where id = $2',
  '/*** an app’s comment ***/ select 1',
  'select 2 ** 3 from visit -- ** 4',
  'analyze visit',
])('finds no hidden values in %s', (sql) => expect(hasHiddenValues(sql)).toBe(false));
