import { describe, expect, it } from 'vitest';
import { JourneyDataModel } from './data-model-wire.ts';
import { parseExactly } from './parse-exactly.ts';
import { JourneyUserList } from './user-wire.ts';
import { JourneyInfo, JourneyOpLogResponse, JourneySequence } from './wire.ts';

describe('Journey sequence', () => {
  it.each([
    ['1', '1'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['"9007199254740993"', '9007199254740993'],
    ['"0012"', '12'],
  ])('keeps every digit of %s', (written, read) => {
    expect(JourneySequence.parse(parseExactly(written))).toBe(read);
  });

  it.each(['0', '-1', '1.5', '9223372036854775808', '""', '"x"', 'null', '1e3000'])('rejects %s', (written) => {
    expect(JourneySequence.safeParse(parseExactly(written)).success).toBe(false);
  });
});

describe('op-log entry', () => {
  const object = { id: 'a', type: 'farmer', updated_at: '2024-03-01T09:30:00Z', name: 'Thandi' };
  const read = (entry: object) => JourneyOpLogResponse.safeParse({ entries: [entry], datamodel_hash: 'h' });

  it.each([
    { sequence: 7, operation: 'update', object },
    { sequence: '7', operation: 'update', object },
    { sequence_id: '7', app_id: null, operation: 'update', events: [], object },
  ])('accepts both forms of the sequence: %j', (entry) => {
    expect(read(entry).data?.entries).toEqual([{ sequence: '7', operation: 'update', object }]);
  });

  it.each([{}, { sequence: null }, { sequence_id: 'x' }])('reads an entry without a sequence: %j', (sequence) => {
    expect(read({ ...sequence, operation: 'update', object }).data?.entries).toEqual([
      { sequence: null, operation: 'update', object },
    ]);
  });

  it.each([
    [{ operation: 'rename', object }, 'its operation is "rename"'],
    [{ operation: 'delete', object: { type: 'farmer' } }, 'its object has no id'],
    [{ operation: 'delete', object: null }, 'its object has no id and no type'],
    [{ object: { id: 'a' } }, 'its operation is missing, and its object has no type'],
  ])('reads what it can of %j, and says what is wrong with it', (entry, problem) => {
    expect(read({ sequence: 7, ...entry }).data?.entries).toMatchObject([{ sequence: '7', problem }]);
  });
});

it('reads missing keys as null and ignores unknown ones', () => {
  const nothing = JourneyInfo.parse({ surprise: 1, region: 'us' });
  expect(nothing).toMatchObject({ region: 'us', label: null, last_deployed_at: null });
  expect(nothing).not.toHaveProperty('surprise');
  const model = { name: 'farmer', fields: { name: { name: 'name', type: 'text', subtype: 'text:name' } } };
  const read = JourneyDataModel.parse({ models: { farmer: model }, datamodel_hash: 'h' });
  expect(read).toMatchObject({ app_user: null, models: { farmer: { belongs_to: {}, has_many: {} } } });
  expect(read.models.farmer?.fields.name).toMatchObject({ subtype: 'name', label: null, options: null });
  const users = JourneyUserList.parse({
    objects: [{ id: 'u', enrolled: true, locked: false, sessions: [{ id: 's', state: 'ENROLLED' }] }],
  });
  expect(users).toMatchObject({ total: null, more: null });
  expect(users.objects[0]?.sessions?.[0]).toMatchObject({ state: 'ENROLLED', container: null, signed_out_at: null });
});
