import { expect, test } from 'vitest';
import { Conflict, Invalid, NotFound, NotSignedIn, Problem, Refused, Unreachable } from './problems.ts';

test('gives each problem a name, a status and a message', () => {
  const cause = new Error('socket hang up');
  const problems = [
    new Invalid('a'),
    new NotSignedIn('b'),
    new Refused('c'),
    new Conflict('d'),
    new NotFound('e'),
    new Unreachable('f'),
  ];
  expect(problems.map((problem) => [problem.name, problem.status, problem.message])).toEqual([
    ['Invalid', 400, 'a'],
    ['NotSignedIn', 401, 'b'],
    ['Refused', 403, 'c'],
    ['Conflict', 409, 'd'],
    ['NotFound', 404, 'e'],
    ['Unreachable', 502, 'f'],
  ]);
  expect(new Unreachable('late', { timedOut: true }).status).toBe(504);
  expect(new Conflict('d')).toBeInstanceOf(Refused);
  expect(new Invalid('a', { title: 'No', cause })).toMatchObject({
    title: 'No',
    cause,
  });
  expect(new Invalid('a')).toBeInstanceOf(Problem);
});
