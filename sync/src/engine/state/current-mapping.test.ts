import { expect, test } from 'vitest';
import type { Mapping } from '../../mapping/object-map.ts';
import { CurrentMapping, type MappingInUse } from './current-mapping.ts';
import { Progress } from './progress.ts';

const createMapping = (fingerprint: string): Mapping => ({ objects: [], notes: [], fingerprint });
const plan = { toHelium: null, toJourney: { head: null, tables: ['region'], afterId: null, count: 0 } };

/** The calls in order. The next mapping is the one set here. */
function setUp(next: MappingInUse | null, planned: () => Promise<void> = async () => undefined) {
  const events: string[] = [];
  const progress = new Progress({ changeLogCursor: '5', opLogCursor: '7', toHelium: null, toJourney: null });
  const current = new CurrentMapping({
    context: { mapping: createMapping('first') },
    progress,
    follow: async (modelHash) => {
      events.push(`follow ${modelHash}`);
      return next;
    },
    planFullRead: async ({ mapping }, { changeLogCursor }, { newTables }) => {
      events.push(`plan ${mapping.fingerprint} at ${changeLogCursor}: ${newTables}`);
      await planned();
      return plan;
    },
    save: async () => void events.push('save'),
    onChange: () => void events.push('change'),
  });
  return { events, progress, current };
}

test('keeps its context while the data model is unchanged', async () => {
  const { events, current } = setUp(null);
  const { context } = current;
  await current.followModel('same');
  expect(current.context).toBe(context);
  expect(events).toEqual(['follow same']);
});

test('replaces the mapping, and plans its full reads before it is saved', async () => {
  const { events, progress, current } = setUp({ mapping: createMapping('second'), newTables: ['region'], unknown: [] });
  await current.followModel('other');
  expect(current.context.mapping.fingerprint).toBe('second');
  expect(progress.position).toMatchObject(plan);
  expect(events).toEqual(['follow other', 'plan second at 5: region', 'save', 'change']);
});

test('plans no full read when no tables are new', async () => {
  const { events, progress, current } = setUp({ mapping: createMapping('second'), newTables: [], unknown: [] });
  await current.followModel('other');
  expect(progress.fullReadToJourney).toBeNull();
  expect(events).toEqual(['follow other', 'save', 'change']);
});

test('replaces nothing and saves nothing when planning fails', async () => {
  const { events, progress, current } = setUp(
    { mapping: createMapping('second'), newTables: ['region'], unknown: [] },
    () => Promise.reject(new Error('no connection')),
  );
  await expect(current.followModel('other')).rejects.toThrow('no connection');
  expect(current.context.mapping.fingerprint).toBe('first');
  expect(progress.fullReadToJourney).toBeNull();
  expect(events.slice(-1)).toEqual(['plan second at 5: region']);
});

test('waits for a page that is being read, and makes the next page wait for the plan', async () => {
  const { current } = setUp({ mapping: createMapping('second'), newTables: ['region'], unknown: [] });
  let finishPage: () => void = () => undefined;
  const page = current.runSerialized(
    () =>
      new Promise<void>((resolve) => {
        finishPage = resolve;
      }),
  );
  const followed = current.followModel('other');
  const nextPage = current.runSerialized(async () => current.context.mapping.fingerprint);
  await Promise.resolve();
  expect(current.context.mapping.fingerprint).toBe('first');
  finishPage();
  await Promise.all([page, followed]);
  await expect(nextPage).resolves.toBeDefined();
  expect(current.context.mapping.fingerprint).toBe('second');
});
