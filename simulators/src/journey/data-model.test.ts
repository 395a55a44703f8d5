import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import { parseSchema, SchemaError } from './schema-xml.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment, smallSchema } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

describe('simulated data model', () => {
  it('lists fields, relations in both directions, the user model, and its hash', async () => {
    const { body } = await call('GET', 'datamodel.json');
    expect(body.app_user).toBe('user');
    expect(body.datamodel_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(body.models)).toEqual(['region', 'farmer', 'user']);
    expect(body.models.region).toEqual({
      name: 'region',
      label: 'Region',
      display: '{name}',
      fields: { name: { name: 'name', label: 'Name', type: 'text', subtype: 'name' } },
      belongs_to: {},
      has_many: { farmers: { model: 'farmer', name: 'farmers' } },
    });
    expect(body.models.farmer.belongs_to).toEqual({
      region: { model: 'region', name: 'region', inverse_of: 'farmers' },
    });
    expect(body.models.farmer.fields.active.options).toEqual([
      { key: false, display: 'No' },
      { key: true, display: 'Yes' },
    ]);
    expect(body.models.farmer.fields.tier.options[0]).toEqual({ key: 1, display: 'First' });
  });

  it('returns the original XML', async () => {
    const response = await call('GET', 'datamodel.xml');
    expect(response.text).toBe(smallSchema);
    expect(response.headers.get('content-type')).toContain('xml');
  });

  it.each(['datamodel.json', 'datamodel.xml'])('responds with 304 to a client that already has %s', async (path) => {
    const etag = (await call('GET', path)).headers.get('etag') ?? '';
    expect(await call('GET', path, undefined, { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    expect((await call('GET', path, undefined, { 'if-none-match': '"another"' })).status).toBe(200);
  });

  it('describes the deployment and its indexes', async () => {
    expect((await call('GET', 'info.json')).body).toMatchObject({
      label: 'Farmers, testing',
      environment: 'testing',
      region: 'eu',
    });
    const { body } = await call('GET', 'indexes.json');
    expect(body.models.farmer.indexes).toContainEqual(
      expect.objectContaining({ key: { name: 1, age: -1 }, type: 'schema', status: 'ready' }),
    );
  });

  it('reads existing objects and the op-log with a newly deployed model', async () => {
    const id = randomUUID();
    await call('PUT', `objects/farmer/${id}.json`, { farmer: { name: 'A', age: 7, grade: 'b' } });
    const before = (await call('GET', 'datamodel.json')).body.datamodel_hash;
    const next = smallSchema
      .replace('name="age" label="Age" type="integer"', 'name="age" label="Age" type="text"')
      .replace(
        '<field name="hectares" label="Hectares" type="number"/>',
        '<field name="soil" label="Soil" type="text"/>',
      )
      .replace('<option key="b">B</option>', '<option key="b">Better</option>');
    const { hash } = (await call('GET', 'datamodel.json')).body;
    const deployed = await simulator.deployment(smallDeployment.id).deploy(next);
    expect(deployed.hash).not.toBe(hash);
    const { body } = await call('GET', `objects/farmer/${id}.json`);
    expect(body).toMatchObject({ name: 'A', age: null, soil: null, grade: { key: 'b', display: 'Better' } });
    expect(body).not.toHaveProperty('hectares');
    const log = (await call('GET', 'oplog.json?tail=true&limit=1')).body;
    expect(log).toMatchObject({ datamodel_hash: deployed.hash, entries: [{ object: body }] });
    expect(log.datamodel_hash).not.toBe(before);
    expect(await call('PATCH', `objects/farmer/${id}.json`, { farmer: { age: 'seven' } })).toMatchObject({
      status: 200,
    });

    const back = await fetch(`${simulator.baseUrl}/simulator/deployments/${smallDeployment.id}/datamodel`, {
      method: 'PUT',
      headers: { 'content-type': 'application/xml' },
      body: smallSchema,
    });
    expect(await back.json()).toMatchObject({ hash: before });
    expect((await call('GET', `objects/farmer/${id}.json`)).body.age).toBeNull();
  });

  it('keeps the current model when a new one is invalid', async () => {
    const before = (await call('GET', 'datamodel.json')).body;
    await expect(simulator.deployment(smallDeployment.id).deploy('<data-model><model/></data-model>')).rejects.toThrow(
      'label',
    );
    expect((await call('GET', 'datamodel.json')).body).toEqual(before);
  });
});

const schema = (inside: string) => `<data-model>${inside}</data-model>`;
/** With a display in its place: before webhooks. */
const model = (inside: string, name = 'a') => {
  const [parts = '', ...webhooks] = inside.split(/(?=<webhook)/);
  const display = inside.includes('<display') ? '' : '<display>A</display>';
  return `<model name="${name}" label="A">${parts}${display}${webhooks.join('')}</model>`;
};
const nameField = '<field name="name" label="Name" type="text"/>';

describe('data model schema', () => {
  it.each([
    ['<data-model>', 'Line 1'],
    ['<models/>', 'The root must be one <data-model>'],
    [schema('<view/>'), '<view> is not allowed'],
    [schema('<model name="a"/>'), 'a label is required'],
    [schema(model('', '1a')), 'must consist of letters'],
    [schema(model('', 'account')), 'reserved'],
    [schema(model('') + model('')), 'two models a'],
    [schema(model('<field name="x" type="text"/>')), 'a label is required'],
    [schema(model('<field name="_id" label="X" type="text"/>')), 'reserved'],
    [schema(model('<field name="x" label="X" type="color"/>')), 'no type "color"'],
    [schema(model('<field name="x" label="X" type="text:color"/>')), 'no subtype "color"'],
    [schema(model(nameField + nameField)), 'name is used twice'],
    [schema(''), 'There is no <model>'],
    [schema('<model name="a" label="A"></model>'), 'a <display> is required'],
    [schema(model(`${nameField}<display>{nothing}</display>`)), 'its display names nothing, which does not exist'],
    [schema(model(`${nameField}<display>{b.name}</display>`)), 'its display names b.name, which does not exist'],
    [
      schema(model('<field name="x" label="X" type="boolean"><option key="true">Yes</option></field>')),
      'a boolean has no options, or both',
    ],
    [schema(model('<field name="x" label="X" type="attachment"/>')), 'needs a media type'],
    [schema(model('<field name="x" label="X" type="attachment" media="pdf"/>')), 'needs a media type'],
    [schema(model(`${nameField}<index on="name" database="disk"/>`)), 'no database "disk"'],
    [
      schema(model('<field name="x" label="X" type="single-choice-integer"><option key="a">A</option></field>')),
      'not an integer',
    ],
    [schema(model(`<display>{name}</display>${nameField}`)), '<field> must come earlier'],
    [schema(model('<belongs-to model="b"/>')), 'no model b'],
    [schema(model('<has-many model="b" name="bs"/>') + model('', 'b')), 'no matching belongs-to'],
    [
      schema(
        model('<has-many model="b" name="bs"/>') +
          model('<belongs-to model="a" name="one"/><belongs-to model="a" name="two"/>', 'b'),
      ),
      'inverse-of must name one of one, two',
    ],
    [schema(model('<index on="gone"/>')), 'which does not exist'],
    [schema(model('<webhook name="w"/>')), 'webhook w: the type must be ready or update'],
    [schema(model('<webhook type="deleted"/>')), 'webhook a_deleted: the type must be ready or update'],
    [schema(model('<webhook type="update"/>') + model('<webhook type="ready" name="a_update"/>', 'b')), 'two webhooks'],
    [schema(model('<webhook type="update" receiver="fax" action="x"/>')), 'no receiver "fax"'],
    [schema(model('<webhook type="update" receiver="cloudcode"/>')), 'a receiver needs an action'],
    [schema(model(`<webhook type="update"/>${nameField}`)), '<field> must come earlier'],
    [schema(model('<webhook type="update"><model/></webhook>')), '<model> is not allowed'],
    [schema(model('<webhook type="update"><field name="x"/></webhook>')), 'field x: the model has no such field'],
    [
      schema(model(`${nameField}<webhook type="update"><field name="name" required="maybe"/></webhook>`)),
      'required must be true or false',
    ],
    [
      schema(model(`${nameField}<webhook type="update"><field name="name" state="lost"/></webhook>`)),
      'must be present or uploaded',
    ],
    [
      schema(model(`${nameField}<webhook type="update"><field name="name" state="uploaded"/></webhook>`)),
      'only files are uploaded',
    ],
    [schema(model('<field name="x" label="X" type="photo"/><index on="x"/>')), 'cannot be indexed'],
  ])('rejects %s: %s', (xml, reason) => {
    expect(() => parseSchema(xml)).toThrow(reason);
  });

  it('reports all errors at once', () => {
    const read = () => parseSchema(schema('<model name="a"><field name="x" label="X"/></model><model label="B"/>'));
    expect(read).toThrow(SchemaError);
    expect(read).toThrow(/label is required(.|\n)*no type(.|\n)*must consist of letters/);
  });

  it('reads the webhooks to receivers outside Journey and names those without a name', () => {
    const inside = [
      nameField,
      '<field name="photo" label="Photo" type="photo"/><belongs-to model="a" name="parent"/>',
      '<webhook type="ready"><field name="name" required="false"/><field name="parent"/></webhook>',
      '<webhook type="update" name="saved"><field name="photo" state="uploaded" embed="false"/></webhook>',
      '<webhook type="update" receiver="pdfmailer" action="print"/>',
    ];
    expect(parseSchema(schema(model(inside.join('')))).models.get('a')?.webhooks).toEqual([
      { name: 'a_ready', type: 'ready', conditions: [{ key: 'parent_id', isUploaded: false }] },
      { name: 'saved', type: 'update', conditions: [{ key: 'photo', isUploaded: true }] },
    ]);
  });

  it.each([
    '<field name="x" label="X" type="single-choice"/>',
    '<field name="x" label="" type="text"/>',
    '<field name="updated_at" label="X" type="text"/><field name="display" label="X" type="text"/>',
    `${nameField}<note/>`,
    `${nameField}<display>{name}</display><display>A</display>`,
  ])('accepts what the official parser accepts: %s', (inside) => {
    expect(parseSchema(schema(model(inside))).models.size).toBe(1);
  });

  it('numbers the options of an integer choice without keys', () => {
    const options = '<option>A</option><option>B</option>';
    const field = `<field name="x" label="X" type="single-choice-integer">${options}</field>`;
    expect(
      parseSchema(schema(model(field)))
        .models.get('a')
        ?.fields.get('x')?.options,
    ).toEqual([
      { key: 0, display: 'A' },
      { key: 1, display: 'B' },
    ]);
  });

  it('reads a display from its attribute `format`', () => {
    const inside = `${nameField}<display format="{name}!"/>`;
    expect(parseSchema(schema(model(inside))).models.get('a')?.display).toBe('{name}!');
  });

  it('reads references to characters in labels, options and displays, and each only once', () => {
    const field =
      '<field name="x" label="Caf&#233; &#xE9; &amp;#233;" type="single-choice"><option key="a">A &lt; &#233;</option></field>';
    const inside = `${field}<display>{x} &#8211; &quot;&copy;</display>`;
    const read = parseSchema(schema(model(inside))).models.get('a');
    expect(read?.fields.get('x')).toMatchObject({ label: 'Café é &#233;', options: [{ display: 'A < é' }] });
    expect(read?.display).toBe('{x} – "&copy;');
  });

  it('warns about a field that looks like a relation', () => {
    expect(parseSchema(schema(model('<field name="national_id" label="X" type="text"/>'))).warnings).toHaveLength(1);
  });

  it('produces the same hash regardless of formatting', () => {
    const { hash } = parseSchema(smallSchema);
    expect(parseSchema(smallSchema.replaceAll('\n', '\n  ')).hash).toBe(hash);
    expect(parseSchema(smallSchema.replace('label="Age"', 'label="Years"')).hash).not.toBe(hash);
  });
});
