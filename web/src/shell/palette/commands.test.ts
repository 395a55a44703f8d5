import { describe, expect, it } from 'vitest';
import { type Command, findCommands, scoreOf } from './commands.ts';

const apps = [
  { id: '11111111-aaaa', name: 'Farm Log', fqdn: 'farm.example.org', schemaName: 'farm_log' },
  { id: '22222222-bbbb', name: 'Clinic Visits', fqdn: 'clinic.example.org', schemaName: 'health_clinic' },
  { id: '33333333-cccc', name: 'Cold Chain', fqdn: 'cold.example.org', schemaName: 'supply_cold' },
  { id: '44444444-dddd', name: 'Chain of Custody', fqdn: 'custody.example.org', schemaName: 'supply_custody' },
];
const screens: Command[] = [
  { id: 'home', label: 'Home', detail: '', kind: 'screen', to: '/' },
  { id: 'dbspy', label: 'DB Spy', detail: '', kind: 'screen', to: '/dbspy', words: 'statistics' },
];
const labels = (search: string, first: string[] = []) =>
  findCommands(search, apps, screens, first).map((command) => command.label);

describe('findCommands', () => {
  it('offers the screens of an app that is found by its name', () => {
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

  it('lets a word that names an action choose among the screens, wherever it stands', () => {
    expect(labels('logs clinic')).toEqual(['Logs · Clinic Visits']);
    expect(labels('clinic func')).toEqual(['Scheduled Functions · Clinic Visits']);
  });

  it('takes an action word alone for the name of an app', () => {
    expect(labels('log')[0]).toBe('View · Farm Log');
  });

  it('puts the beginning of a name before the middle, and a favoured app first among equals', () => {
    expect(labels('chain')[0]).toBe('View · Chain of Custody');
    expect(labels('supply')[0]).toBe('View · Cold Chain');
    expect(labels('supply', ['44444444-dddd'])[0]).toBe('View · Chain of Custody');
  });

  it('finds screens by their other words', () => {
    expect(labels('stat')).toEqual(['DB Spy']);
  });

  it('shows screens and favoured apps before anything is typed', () => {
    expect(labels('', ['33333333-cccc'])).toEqual([
      'Home',
      'DB Spy',
      'View · Cold Chain',
      'Config · Cold Chain',
      'Logs · Cold Chain',
      'Scheduled Functions · Cold Chain',
    ]);
  });

  it('finds other things by their names and words, after apps, and only when they are looked for', () => {
    const others: Command[] = [
      {
        id: 'd/7',
        label: 'Deployment · Spring',
        detail: '',
        kind: 'other',
        to: '/deployments',
        words: 'Clinic Visits',
      },
      { id: 't/a', label: 'Support Roster · Clinics', detail: '', kind: 'other', to: '/support-roster/Clinics' },
    ];
    const found = (search: string) => findCommands(search, apps, screens, [], others).map(({ label }) => label);
    expect(found('spring')).toEqual(['Deployment · Spring']);
    expect(found('clinic').slice(-2)).toEqual(['Deployment · Spring', 'Support Roster · Clinics']);
    expect(found('clinic')[0]).toBe('View · Clinic Visits');
    expect(found('')).toEqual(['Home', 'DB Spy']);
  });

  it('finds nothing when one word is nowhere', () => {
    expect(labels('clinic xyz')).toEqual([]);
  });
});

describe('scoreOf', () => {
  it('orders whole text, beginning, word beginning, anywhere', () => {
    const scores = ['farm', 'farmers', 'my farm', 'alfarm'].map((text) => scoreOf(['farm'], [text]));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(4);
  });
});
