import { describe, expect, it } from 'vitest';
import { definitions } from '../../helium/simulator/definitions.ts';
import { blob, int, json, none, persistentObject, string } from '../../helium/simulator/model.ts';
import { parseSchema } from '../simulator/schema-xml.ts';
import { schemaOfApp } from './schema-of-app.ts';

describe('schemaOfApp', () => {
  it('is without mistake or warning for every app there is', () => {
    for (const { apps } of definitions) {
      for (const { objects } of apps) {
        const { models, warnings } = parseSchema(schemaOfApp(objects));
        expect(models.size).toBe(objects.filter(({ tracked }) => tracked).length);
        expect(warnings).toEqual([]);
      }
    }
  });

  it('leaves out what Journey has no place for, and what it is told to', () => {
    const objects = [
      persistentObject('Cache', { rows: 0, tracked: false }, { key: string(none) }),
      persistentObject(
        'FieldVisit',
        { rows: 0, role: true, toOne: { cache: 'Cache' }, toMany: { others: 'FieldVisit' } },
        { unitCount: int(none), secret: string(none), picture: blob(none), body: json(none) },
      ),
    ];
    const { models } = parseSchema(schemaOfApp(objects, new Set(['secret'])));
    expect([...models.keys()]).toEqual(['fieldVisit']);
    const visit = models.get('fieldVisit');
    expect(visit?.label).toBe('Field visit');
    expect([...(visit?.fields.values() ?? [])].map(({ name, label, type }) => [name, label, type])).toEqual([
      ['unitCount', 'Unit count', 'integer'],
      ['picture', 'Picture', 'photo'],
    ]);
    expect([...(visit?.belongsTo.keys() ?? [])]).toEqual([]);
  });

  it('tells two relations to the same object apart', () => {
    const objects = [
      persistentObject('Farm', { rows: 0 }, { name: string(none) }),
      persistentObject('Move', { rows: 0, toOne: { from: 'Farm', to: 'Farm' } }, {}),
    ];
    const farm = parseSchema(schemaOfApp(objects)).models.get('farm');
    expect([...(farm?.hasMany.values() ?? [])]).toMatchObject([
      { name: 'movesOfFrom', inverseOf: 'from' },
      { name: 'movesOfTo', inverseOf: 'to' },
    ]);
  });
});
