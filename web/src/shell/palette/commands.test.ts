import { describe, expect, it } from 'vitest';
import { type Command, findCommands } from './commands.ts';
import { findRecordCommands, findStatementCommands } from './search-commands.ts';

const apps = [
  { id: '11111111-aaaa', name: 'Farm Log', fqdn: 'farm.example.org', schemaName: 'farm_log' },
  { id: '22222222-bbbb', name: 'Clinic Visits', fqdn: 'clinic.example.org', schemaName: 'health_clinic' },
  { id: '33333333-cccc', name: 'Cold Chain', fqdn: 'cold.example.org', schemaName: 'supply_cold' },
  { id: '44444444-dddd', name: 'Chain of Custody', fqdn: 'custody.example.org', schemaName: 'supply_custody' },
];
const screens: Command[] = [
  { id: 'home', label: 'Home', detail: '', kind: 'screen', to: '/' },
  { id: 'dbspy', label: 'DB Spy', detail: '', kind: 'screen', to: '/dbspy', keywords: 'statistics' },
];
const labels = (search: string, first: string[] = []) =>
  findCommands(search, apps, screens, first).commands.map((command) => command.label);

describe('findCommands', () => {
  it('offers the screens of an app found by its name', () => {
    expect(labels('clinic')).toEqual([
      'View · Clinic Visits',
      'Config · Clinic Visits',
      'Logs · Clinic Visits',
      'Scheduled Functions · Clinic Visits',
    ]);
  });

  it.each([
    ['id', '2222'],
    ['fqdn', 'clinic.example'],
    ['schema name', 'health_cl'],
  ])('finds an app by its %s', (_, search) => {
    expect(labels(search)[0]).toBe('View · Clinic Visits');
  });

  it("filters an app's screens by an action word at any position", () => {
    expect(labels('logs clinic')).toEqual(['Logs · Clinic Visits']);
    expect(labels('clinic func')).toEqual(['Scheduled Functions · Clinic Visits']);
  });

  it('offers to change the state of an app only when that is searched for', () => {
    expect(labels('disable clinic')).toEqual(['Disable… · Clinic Visits']);
    expect(labels('clinic unl')).toEqual(['Unlock… · Clinic Visits']);
    const [command] = findCommands('lock clinic', apps, screens, []).commands;
    expect(command).toMatchObject({ to: '/config/22222222-bbbb', search: { change: 'lock' } });
  });

  it('offers a new entry point of the named app, and of every app where none is named', () => {
    expect(labels('new entry clinic')).toEqual(['New entry-point · Clinic Visits']);
    expect(labels('clinic entry-point')).toEqual(['New entry-point · Clinic Visits']);
    const [command] = findCommands('new entry', apps, screens, ['33333333-cccc']).commands;
    expect(command).toMatchObject({
      label: 'New entry-point · Cold Chain',
      to: '/config/33333333-cccc',
      search: { change: 'new-entry-point' },
    });
    expect(labels('new')).toHaveLength(apps.length);
  });

  it('offers the screens of an app whose name has a word of an action in it', () => {
    const newHope = { id: '5', name: 'New Hope Clinic', fqdn: 'hope.example.org', schemaName: 'hope' };
    const find = (search: string) => findCommands(search, [...apps, newHope], screens, []).commands;
    expect(find('new hope').map(({ label }) => label)).toContain('View · New Hope Clinic');
    expect(find('new').map(({ label }) => label)).toContain('View · New Hope Clinic');
  });

  it('matches app names when the search is only an action word', () => {
    expect(labels('log')[0]).toBe('View · Farm Log');
  });

  it('offers an action of every app, preferred apps first, if no app has that word in its name', () => {
    expect(labels('func', ['33333333-cccc'])).toEqual([
      'Scheduled Functions · Cold Chain',
      'Scheduled Functions · Farm Log',
      'Scheduled Functions · Clinic Visits',
      'Scheduled Functions · Chain of Custody',
    ]);
    expect(labels('func xyz')).toEqual([]);
  });

  it('ranks name prefixes above other matches and preferred apps first among equals', () => {
    expect(labels('chain')[0]).toBe('View · Chain of Custody');
    expect(labels('supply')[0]).toBe('View · Cold Chain');
    expect(labels('supply', ['44444444-dddd'])[0]).toBe('View · Chain of Custody');
  });

  it('finds screens by keyword', () => {
    expect(labels('stat')).toEqual(['DB Spy']);
  });

  it('lists screens and preferred apps before anything is typed', () => {
    expect(labels('', ['33333333-cccc'])).toEqual([
      'Home',
      'DB Spy',
      'View · Cold Chain',
      'Config · Cold Chain',
      'Logs · Cold Chain',
      'Scheduled Functions · Cold Chain',
    ]);
  });

  it('finds other commands by name and keyword, below apps, and only for a search', () => {
    const others: Command[] = [
      {
        id: 'd/7',
        label: 'Deployment · Spring',
        detail: '',
        kind: 'other',
        to: '/deployments',
        keywords: 'Clinic Visits',
      },
      { id: 't/a', label: 'Support Roster · Clinics', detail: '', kind: 'other', to: '/support-roster/Clinics' },
    ];
    const found = (search: string) =>
      findCommands(search, apps, screens, [], others).commands.map(({ label }) => label);
    expect(found('spring')).toEqual(['Deployment · Spring']);
    expect(found('clinic').slice(-2)).toEqual(['Deployment · Spring', 'Support Roster · Clinics']);
    expect(found('clinic')[0]).toBe('View · Clinic Visits');
    expect(found('')).toEqual(['Home', 'DB Spy']);
  });

  it('finds a record by its id in each integration, and filters these by the name of the app', () => {
    const id = 'b52a92b9-b61d-5dcd-a0a9-fa38cf4511c5';
    const integrations = ['Farm Log', 'Clinic Visits'].map((appName, at) => ({ id: `${at}`, appName }));
    const find = (search: string) =>
      findCommands(search, apps, screens, [], findRecordCommands(search, integrations)).commands;
    expect(find(id.toUpperCase()).map(({ label }) => label)).toEqual([
      'Find record · Farm Log',
      'Find record · Clinic Visits',
    ]);
    expect(find(`${id} clinic`)).toEqual([
      expect.objectContaining({ to: '/sync', search: { records: '1', tab: 'find', find: id } }),
    ]);
    expect(find(id.slice(1))).toEqual([]);
  });

  it('offers to search the statements of each data source for the text, below everything else', () => {
    const sources = [{ heliumDataSourceName: 'helium-app-1' }, { heliumDataSourceName: 'helium-app-2' }];
    const find = (search: string) =>
      findCommands(search, apps, screens, [], findStatementCommands(search, sources)).commands;
    expect(find(' Clinic ').map(({ label }) => label)).toEqual([
      ...labels('clinic'),
      'Statements with “Clinic” · helium-app-1',
      'Statements with “Clinic” · helium-app-2',
    ]);
    expect(find('from visit').at(-1)).toMatchObject({
      to: '/dbspy',
      search: { mode: 'datasource', source: 'helium-app-2', tab: 'table', sql: 'from visit' },
    });
    expect(find('zz')).toEqual([]);
  });

  it('finds nothing when one word does not match', () => {
    expect(labels('clinic xyz')).toEqual([]);
  });

  it('counts the apps and other entries that match without being listed', () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      id: `${at}`,
      name: `Stock ${at}`,
      fqdn: `stock-${at}.example.org`,
      schemaName: `stock_${at}`,
    }));
    const teams = many.map(
      ({ id, name }): Command => ({ id: `t/${id}`, label: name, detail: '', kind: 'other', to: '/' }),
    );
    const count = (search: string) => {
      const { commands, moreApps, moreOthers } = findCommands(search, many, screens, ['3'], teams);
      return { apps: commands.filter(({ kind }) => kind === 'app').length, moreApps, moreOthers };
    };
    expect(count('stock')).toEqual({ apps: 6 * 4, moreApps: 34, moreOthers: 34 });
    expect(count('logs stock')).toEqual({ apps: 24, moreApps: 16, moreOthers: 0 });
    expect(count('stock 39')).toEqual({ apps: 4, moreApps: 0, moreOthers: 0 });
    expect(count('')).toEqual({ apps: 4, moreApps: 0, moreOthers: 0 });
  });
});
