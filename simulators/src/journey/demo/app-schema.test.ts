import { describe, expect, it } from 'vitest';
import { definitions } from '../../helium/definitions.ts';
import { blob, int, json, none, persistentObject, string } from '../../helium/model.ts';
import { parseSchema } from '../schema-xml.ts';
import { createAppSchema } from './app-schema.ts';

describe('app schema for Journey', () => {
  it('produces no errors or warnings for any demo app', () => {
    for (const { apps } of definitions) {
      for (const { objects } of apps) {
        const { models, warnings } = parseSchema(createAppSchema(objects));
        expect(models.size).toBe(objects.filter(({ tracked }) => tracked).length);
        for (const { name, webhooks } of models.values())
          expect(webhooks).toEqual([{ name: `${name}_update`, type: 'update', conditions: [] }]);
        expect(warnings).toEqual([]);
      }
    }
  });

  it('omits types without a counterpart in Journey and excluded attributes', () => {
    const objects = [
      persistentObject('Cache', { rows: 0, tracked: false }, { key: string(none) }),
      persistentObject(
        'FieldVisit',
        { rows: 0, role: true, toOne: { cache: 'Cache' }, toMany: { others: 'FieldVisit' } },
        { unitCount: int(none), secret: string(none), picture: blob(none), body: json(none) },
      ),
    ];
    const { models } = parseSchema(createAppSchema(objects, new Set(['secret'])));
    expect([...models.keys()]).toEqual(['fieldVisit']);
    const visit = models.get('fieldVisit');
    expect(visit?.label).toBe('Field visit');
    expect([...(visit?.fields.values() ?? [])].map(({ name, label, type }) => [name, label, type])).toEqual([
      ['unitCount', 'Unit count', 'integer'],
      ['picture', 'Picture', 'photo'],
    ]);
    expect([...(visit?.belongsTo.keys() ?? [])]).toEqual([]);
  });

  it('distinguishes two relations to the same object', () => {
    const objects = [
      persistentObject('Farm', { rows: 0 }, { name: string(none) }),
      persistentObject('Move', { rows: 0, toOne: { from: 'Farm', to: 'Farm' } }, {}),
    ];
    const farm = parseSchema(createAppSchema(objects)).models.get('farm');
    expect([...(farm?.hasMany.values() ?? [])]).toMatchObject([
      { name: 'movesOfFrom', inverseOf: 'from' },
      { name: 'movesOfTo', inverseOf: 'to' },
    ]);
  });
});
