import { getAudit } from '@portal/contract/audit';
import {
  deletePortalShift,
  getOnCall,
  getPortalShifts,
  getRoster,
  getRosterTeams,
  getShiftImport,
  importShifts,
  revealNumber,
  savePortalShift,
} from '@portal/contract/support-roster';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../../testing/test-client.ts';

const team = 'Field support';
let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({
    supportRoster: {
      teams: [
        { name: team },
        { name: 'Elsewhere', environments: ['Staging'] },
        { name: 'Health', calendar: 'http://127.0.0.1:1/secret-feed.ics' },
      ],
      people: [{ name: 'Naledi Khumalo', number: '+27 82 555 0199' }],
      maskNumbers: true,
    },
    roles: [
      { role: 'viewer', users: ['health.dev'] },
      { role: 'operator', users: ['farm.dev'] },
      { role: 'admin', users: ['demo'] },
    ],
  });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.server.dependencies.pool.query('truncate roster_shift, roster_number, roster_import');
});

const thabo = { name: 'Thabo Mokoena', number: '+27 82 555 0142' };
const january = { start: '2026-01-05T06:00:00.000Z', end: '2026-01-12T06:00:00.000Z' };
const year = { startDate: '2026-01-01', endDate: '2027-01-01' };

const save = (over: Partial<typeof january & typeof thabo> & { id?: string | null } = {}) =>
  client.call(savePortalShift, { team, id: null, ...thabo, ...january, ...over });
/** Returns how many shifts were imported, also if the import outlasts its request. */
async function bring(csv: string, replace?: boolean): Promise<number> {
  const { imported, job } = await client.call(importShifts, { team, csv, replace });
  if (!job) return imported;
  await expect
    .poll(async () => (await client.call(getShiftImport, { team })).job, { timeout: 100_000 })
    .toMatchObject({ state: 'done' });
  return job.total;
}
const remove = (id: string) =>
  client.send('DELETE', deletePortalShift.path.replace(':shiftId', id), JSON.stringify({ team }));
const shifts = () => client.call(getPortalShifts, { team });

describe('support teams', () => {
  it('lists the teams of the environment', async () => {
    expect(await client.call(getRosterTeams, undefined)).toEqual([team, 'Health']);
    const unknown = await client.attempt(getRoster, { team: 'Elsewhere', ...year });
    expect(unknown.status).toBe(404);
    expect(parseProblem(unknown).message).toBe('There is no support team Elsewhere in Production.');
  });
});

describe('portal-managed shifts', () => {
  it('saves, updates and deletes shifts, and shows them on the roster with a masked number', async () => {
    const saved = await save();
    expect(saved).toEqual({ id: saved.id, name: 'Thabo Mokoena', number: '••• ••42', ...january });
    const row = {
      name: 'Thabo Mokoena',
      number: '••• ••42',
      date: '2026-01-05',
      personId: 'Thabo Mokoena',
      ...january,
    };
    expect(await client.call(getRoster, { team, ...year })).toEqual([row]);

    const later = { id: saved.id, start: '2026-01-06T06:00:00Z' };
    expect(await save(later)).toMatchObject({ id: saved.id, start: '2026-01-06T06:00:00.000Z' });
    expect((await remove(saved.id)).status).toBe(200);
    expect(await shifts()).toEqual([]);
    const again = await remove(saved.id);
    expect(again.status).toBe(404);
    expect(parseProblem(again).message).toBe('This shift no longer exists.');

    const { entries } = await client.call(getAudit, { action: 'roster.change' });
    expect(entries.slice(0, 4)).toMatchObject([
      { description: 'Shift removed', outcome: 'refused' },
      { description: 'Shift removed', outcome: 'done', resource: team },
      { description: 'Shift changed', before: { start: january.start }, after: { start: '2026-01-06T06:00:00.000Z' } },
      { description: 'Shift added', after: { name: 'Thabo Mokoena' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('0142');
  });

  it.each([
    [{ end: january.start }, 'end', 'The shift must end after it begins'],
    [{ name: '  ' }, 'name', 'Please enter a name'],
    [{ start: 'tomorrow' }, 'start', 'Please enter when the shift begins'],
    [{ start: '2026-01-05T06:00' }, 'start', 'Please enter when the shift begins'],
    [{ end: '9026-01-05T06:00:00Z' }, 'end', 'Please enter when the shift ends'],
  ])('rejects a shift with %j', async (over, field, text) => {
    const response = await client.attempt(savePortalShift, { team, id: null, ...thabo, ...january, ...over });
    expect(parseProblem(response)).toMatchObject({ kind: 'invalid', fields: { [field]: text } });
    expect(await shifts()).toEqual([]);
  });

  it('accepts overlapping shifts', async () => {
    await save();
    await save({ name: 'Naledi Khumalo' });
    expect(await shifts()).toHaveLength(2);
  });

  it('belong to their team', async () => {
    const response = await client.attempt(savePortalShift, { team: 'Health', id: null, ...thabo, ...january });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toBe('The roster of Health comes from a calendar. Change it there.');
    expect((await client.attempt(savePortalShift, { team, id: '999', ...thabo, ...january })).status).toBe(404);
    expect((await client.attempt(savePortalShift, { team, id: 'x', ...thabo, ...january })).status).toBe(404);
  });
});

describe('phone numbers', () => {
  const numbers = async () => (await shifts()).map(({ name, number }) => `${name} ${number}`);
  const reveal = (personId: string, by = client) => by.attempt(revealNumber, { team, personId });

  it('belong to the person: a masked number is kept, null removes it, a corrected name keeps it', async () => {
    const { id } = await save();
    await save({ number: '••• ••42', start: '2026-01-06T06:00:00Z' });
    expect(await numbers()).toEqual(['Thabo Mokoena ••• ••42', 'Thabo Mokoena ••• ••42']);
    await save({ id, name: 'Tebogo Mokoena', number: '••• ••42' });
    expect(await numbers()).toEqual(['Tebogo Mokoena ••• ••42', 'Thabo Mokoena ••• ••42']);
    await client.call(savePortalShift, { team, id, ...january, name: 'Tebogo Mokoena', number: null });
    expect(await numbers()).toEqual(['Tebogo Mokoena null', 'Thabo Mokoena ••• ••42']);
  });

  it('reveals numbers on request, and audits the reveal', async () => {
    await save();
    await save({ name: 'naledi  khumalo', number: '' });
    expect(JSON.parse((await reveal('Thabo Mokoena')).text)).toEqual({ number: '+27 82 555 0142' });
    expect(JSON.parse((await reveal('naledi  khumalo')).text)).toEqual({ number: '+27 82 555 0199' });
    const { entries } = await client.call(getAudit, { action: 'roster.reveal' });
    expect(entries[0]).toMatchObject({ resource: team, description: 'Phone number of naledi  khumalo revealed' });
    expect(JSON.stringify(entries)).not.toMatch(/0142|0199/);
    expect(world.server.logged()).not.toMatch(/555 01|secret-feed/);
  });

  it('are not shown if that cannot be recorded', async () => {
    await save();
    const { pool } = world.server.dependencies;
    await pool.query(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception sqlstate '53100' using message = 'no'; end $$`);
    await pool.query('create trigger fail before insert on audit_entry for each row execute function fail()');
    const response = await reveal('Thabo Mokoena');
    await pool.query('drop function fail cascade');
    expect([response.status, parseProblem(response).message]).toEqual([
      503,
      'Nothing is shown, because the audit trail cannot be written. Try again in a minute.',
    ]);
    expect(response.text).not.toContain('0142');
  });

  it('refuses to reveal the number of someone who is not on the roster', async () => {
    expect((await reveal('Naledi Khumalo')).status).toBe(404);
  });

  it("are deleted with the person's last shift", async () => {
    const { id } = await save();
    await remove(id);
    await save({ number: '' });
    expect(await numbers()).toEqual(['Thabo Mokoena null']);
  });
});

describe('roster permissions', () => {
  it('viewers can view, operators can reveal numbers, maintainers can change', async () => {
    await save();
    const viewer = await world.server.signIn('health.dev', 'health');
    const operator = await world.server.signIn('farm.dev', 'farm');
    expect(await viewer.call(getPortalShifts, { team })).toMatchObject([{ number: '••• ••42' }]);
    expect((await viewer.attempt(revealNumber, { team, personId: 'Thabo Mokoena' })).status).toBe(403);
    expect((await operator.attempt(revealNumber, { team, personId: 'Thabo Mokoena' })).status).toBe(200);
    expect((await operator.attempt(importShifts, { team, csv: '' })).status).toBe(403);
  });

  it('require a session', async () => {
    expect((await world.server.client().attempt(getOnCall, {})).status).toBe(401);
  });
});

describe('CSV import', () => {
  it("reads columns by header, times in the environment's zone or as ISO, and replaces existing shifts on request", async () => {
    await save();
    const csv = [
      '\uFEFFEnd,Name,Number,Start',
      '2026-02-09 08:00,"Khumalo, Naledi",+27 82 555 0199,2026-02-02 08:00',
      '',
      '2026-02-16T06:00:00Z,=HYPERLINK("http://example.com"),,2026-02-09T08:00:00+02:00',
    ].join('\r\n');
    expect(await bring(csv, true)).toBe(2);
    expect(await shifts()).toMatchObject([
      {
        name: 'Khumalo, Naledi',
        number: '••• ••99',
        start: '2026-02-02T06:00:00.000Z',
        end: '2026-02-09T06:00:00.000Z',
      },
      { name: '=HYPERLINK("http://example.com")', number: null, start: '2026-02-09T06:00:00.000Z' },
    ]);
    expect(await bring(csv)).toBe(2);
    expect(await shifts()).toHaveLength(4);
  });

  it('imports all shifts or none, and names each faulty line', async () => {
    await save();
    const csv =
      'name,start,end\nA,2026-02-02 08:00,2026-02-01 08:00\nB,2026-02-02 08:00,2026-02-09 08:00\n,soon,later\nC,2026-02-30 08:00,2026-03-09 08:00';
    const response = await client.attempt(importShifts, { team, csv, replace: true });
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toBe(
      'Nothing was imported. Line 2: The shift must end after it begins. Line 4: Please enter a name. ' +
        'Line 5: The start “2026-02-30 08:00” is not a time in Africa/Johannesburg: write it like “2026-11-23 08:00”.',
    );
    expect(await shifts()).toMatchObject([{ name: 'Thabo Mokoena' }]);
  });

  it('a dry run previews the import without changing or auditing anything', async () => {
    await save();
    const rows = Array.from(
      { length: 6 },
      (_, at) => `A${at},${at === 0 ? thabo.number : ''},2026-02-0${at + 1} 08:00`,
    );
    const csv = ['name,number,start,end', ...rows.map((row) => `${row},2026-02-09 08:00`)].join('\n');
    const dryRun = (text: string) => client.call(importShifts, { team, csv: text, replace: true, dryRun: true });
    const { entries: before } = await client.call(getAudit, { action: 'roster.change' });
    const { imported, preview } = await dryRun(csv);
    expect(imported).toBe(0);
    expect(preview).toMatchObject({ shiftCount: 6, faults: [], hasMoreFaults: false });
    expect(preview?.shifts).toHaveLength(5);
    expect(preview?.shifts[0]).toEqual({
      name: 'A0',
      number: thabo.number,
      start: '2026-02-01T06:00:00.000Z',
      end: '2026-02-09T06:00:00.000Z',
    });
    const faulty = await dryRun(`${csv}\n,,soon,later`);
    expect(faulty.preview).toMatchObject({ faults: [{ line: 8, text: 'Please enter a name.' }] });
    expect((await dryRun('name\nA')).preview?.faults).toEqual([
      { line: 1, text: 'These columns are missing in the first line: start, end.' },
    ]);
    expect(await shifts()).toMatchObject([{ name: 'Thabo Mokoena' }]);
    expect((await client.call(getAudit, { action: 'roster.change' })).entries).toHaveLength(before.length);
    const viewer = await world.server.signIn('health.dev', 'health');
    expect((await viewer.attempt(importShifts, { team, csv, dryRun: true })).status).toBe(403);
    expect((await client.attempt(importShifts, { team: 'Health', csv, dryRun: true })).status).toBe(409);
  });

  it.each([
    ['', 'The file is empty.'],
    ['name,begin', 'These columns are missing in the first line: start, end.'],
    ['name,start,end\n', 'The file contains no shifts.'],
    ['name,start,end\n"A,2026-02-02 08:00', 'Nothing was imported. Quote Not Closed'],
    [`name,start,end\n${',,x\n'.repeat(21)}`, 'Line 21: Please enter a name. There are more faults.'],
    ['a\n'.repeat(15_001), 'The file has more than 15,000 lines. Split it into parts.'],
  ])('rejects %j', async (csv, message) => {
    const response = await client.attempt(importShifts, { team, csv });
    expect(parseProblem(response).message).toContain(message);
    expect(response.status).toBe(400);
  });
});
