import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

interface Farmer {
  readonly id: string;
  readonly name: string | null;
  readonly age: number | null;
  readonly active: boolean | null;
  readonly seen_at: string | null;
  readonly grade: string | null;
  readonly crops: readonly string[] | null;
}
type Key = Exclude<keyof Farmer, 'id'>;

/**
 * Few values each, so that queries have matches; characters whose order differs between UTF-16,
 * UTF-8, and dictionaries.
 */
const names = ['', 'a', 'A', 'ab', 'b', 'ä', '￼', '🌽', "it's", '50%_'];
const seen = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z', '1969-12-31T23:59:59Z'];
const pick = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null });
const farmer = fc.record({
  id: fc.uuid({ version: 4 }),
  name: pick(names),
  age: pick([-1, 0, 9, 10]),
  active: pick([true, false]),
  seen_at: pick(seen),
  grade: pick(['a', 'b']),
  crops: pick([[], ['maize'], ['beans', 'maize'], ['tea']]),
});
const farmers = fc.uniqueArray(farmer, { maxLength: 12, selector: ({ id }) => id });

type Test = (value: Farmer[Key]) => boolean;
interface Question {
  readonly key: Key;
  readonly suffix: string;
  readonly operator: string;
  readonly operand: string | number | boolean;
  readonly test: Test;
}

const compare = (one: string | number, other: string | number) =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : Buffer.compare(Buffer.from(`${one}`), Buffer.from(`${other}`));
const operators: Readonly<Record<string, readonly [suffix: string, (order: number) => boolean]>> = {
  '<': ['.lt', (order) => order < 0],
  '<=': ['.lte', (order) => order <= 0],
  '>': ['.gt', (order) => order > 0],
  '>=': ['.gte', (order) => order >= 0],
};
const ordered = (key: 'name' | 'age' | 'seen_at', operands: readonly (string | number)[]) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(operators)), fc.constantFrom(...operands))
    .map(([operator, operand]): Question => {
      const [suffix, holds] = operators[operator] ?? ['', () => false];
      const test: Test = (value) =>
        (typeof value === 'string' || typeof value === 'number') && holds(compare(value, operand));
      return { key, suffix, operator, operand, test };
    });
const equal = (
  key: 'name' | 'age' | 'active' | 'seen_at' | 'grade',
  operands: readonly (string | number | boolean)[],
) =>
  fc.tuple(fc.boolean(), fc.constantFrom(...operands)).map(
    ([isEqual, operand]): Question => ({
      key,
      suffix: isEqual ? '' : '.ne',
      operator: isEqual ? '=' : '!=',
      operand,
      test: (value) => (value === operand) === isEqual,
    }),
  );
const contains = fc.constantFrom('a', 'A', '', '🌽', '%', '_', "'").map(
  (operand): Question => ({
    key: 'name',
    suffix: '.contains',
    operator: 'contains',
    operand,
    test: (value) => typeof value === 'string' && value.includes(operand),
  }),
);
const hasCrop = fc.constantFrom('maize', 'tea').map(
  (operand): Question => ({
    key: 'crops',
    suffix: '',
    operator: '=',
    operand,
    test: (value) => Array.isArray(value) && value.includes(operand),
  }),
);
const question = fc.oneof(
  ordered('name', names),
  ordered('age', [-1, 0, 5, 10]),
  ordered('seen_at', seen),
  equal('name', names),
  equal('age', [0, 9]),
  equal('active', [true, false]),
  equal('grade', ['a', 'b']),
  equal('seen_at', seen),
  contains,
  hasCrop,
);

let simulator: JourneySimulator;
let call: Caller;
let present: string[] = [];

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

/** Replaces all objects with these. */
async function fill(objects: readonly Farmer[]): Promise<void> {
  const operations = [
    ...present.map((id) => ({ method: 'delete', object: { type: 'farmer', id } })),
    ...objects.map((object) => ({ method: 'put', object: { type: 'farmer', ...object } })),
  ];
  const { body } = await call('POST', 'batch.json', { operations });
  expect(body.operations.filter(({ success }: { success: boolean }) => !success)).toEqual([]);
  present = objects.map(({ id }) => id);
}
const ids = (objects: readonly { id: string }[]) => objects.map(({ id }) => id);

describe('simulated queries', () => {
  it('select the same objects as a reader would when given in an address', async () => {
    await fc.assert(
      fc.asyncProperty(farmers, fc.array(question, { minLength: 1, maxLength: 3 }), async (objects, questions) => {
        // An address can contain each condition only once.
        const conditions = [...new Map(questions.map((one) => [one.key + one.suffix, one])).values()];
        await fill(objects);
        const query = new URLSearchParams(
          conditions.map(({ key, suffix, operand }): [string, string] => [`query[${key}${suffix}]`, String(operand)]),
        );
        const { body } = await call('GET', `objects/farmer.json?${query}`);
        const expected = objects.filter((object) => conditions.every(({ key, test }) => test(object[key])));
        expect(ids(body.objects)).toEqual(ids(expected));
        expect(body).toMatchObject({ count: expected.length, total: expected.length, more: false });
        expect((await call('GET', `objects/farmer/count.json?${query}`)).body).toEqual({ count: expected.length });
      }),
      { numRuns: 30 },
    );
  });

  it('select the same objects as a reader would when given as an expression', async () => {
    const tree = fc.letrec<{ tree: { text: string; args: unknown[]; test: (object: Farmer) => boolean } }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        question.map(({ key, operator, operand, test }) => ({
          text: `${key} ${operator} ?`,
          args: [operand],
          test: (object: Farmer) => test(object[key]),
        })),
        fc.tuple(tie('tree'), fc.constantFrom('and', 'or'), tie('tree')).map(([left, word, right]) => ({
          text: `(${left.text} ${word} ${right.text})`,
          args: [...left.args, ...right.args],
          test: (object: Farmer) =>
            word === 'and' ? left.test(object) && right.test(object) : left.test(object) || right.test(object),
        })),
      ),
    })).tree;
    await fc.assert(
      fc.asyncProperty(farmers, tree, async (objects, { text, args, test }) => {
        await fill(objects);
        const { body } = await call('POST', 'objects/farmer/query.json', { expression: text, arguments: args });
        expect(ids(body.objects)).toEqual(ids(objects.filter(test)));
      }),
      { numRuns: 30 },
    );
  });
});

describe('simulated pages', () => {
  it('contain each object once in any order and page size', async () => {
    const sort = fc.constantFrom<[Key, 'asc' | 'desc']>(
      ['name', 'asc'],
      ['age', 'desc'],
      ['seen_at', 'asc'],
      ['active', 'desc'],
    );
    await fc.assert(
      fc.asyncProperty(farmers, sort, fc.integer({ min: 1, max: 5 }), async (objects, [key, direction], limit) => {
        await fill(objects);
        const read: Record<string, unknown>[] = [];
        for (let more = true; more; ) {
          const query = `sort[${key}]=${direction}&limit=${limit}&skip=${read.length}`;
          const { body } = await call('GET', `objects/farmer.json?${query}`);
          expect(body.total).toBe(objects.length);
          read.push(...body.objects);
          more = body.more;
        }
        expect(read.map(({ id }) => id).sort()).toEqual(ids(objects).sort());
        const values = read
          .map((object) => object[key])
          .filter((value) => typeof value === 'string' || typeof value === 'number');
        const sign = direction === 'asc' ? 1 : -1;
        for (const [at, value] of values.slice(1).entries())
          expect(sign * compare(value, values[at] ?? value)).toBeGreaterThanOrEqual(0);
        const firstNull = read.findIndex((object) => object[key] === null);
        const firstValue = read.findIndex((object) => object[key] !== null);
        if (firstNull >= 0 && firstValue >= 0) expect(firstNull < firstValue).toBe(direction === 'asc');
      }),
      { numRuns: 15 },
    );
  });

  it('start after any id', async () => {
    await fc.assert(
      fc.asyncProperty(farmers, fc.integer({ min: 1, max: 4 }), async (objects, limit) => {
        await fill(objects);
        const read: string[] = [];
        for (let more = true; more; ) {
          const last = read.at(-1);
          const { body } = await call('POST', 'objects/farmer/query.json', {
            expression: last === undefined ? '' : 'id > ?',
            arguments: last === undefined ? [] : [last],
            sort: ['id'],
            limit,
            skip: null,
          });
          read.push(...ids(body.objects));
          more = body.more;
        }
        expect(read).toEqual(ids(objects).sort());
      }),
      { numRuns: 30 },
    );
  });
});
