/**
 * People in the field: edits as devices make them, through the same write path as the API's. One
 * seed always makes the same edits out of the same objects.
 */
import type { Logger } from '@portal/kit/logger';
import { isAttachment, type Model, referenceKey } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import { deviceValue } from './device-values.ts';
import type { Contents, Json } from './json.ts';
import type { Operation } from './operations.ts';
import { createRandom, type Random } from './random.ts';
import { write } from './write-path.ts';

export interface DeviceActivity {
  /** Makes the next edits of the program, one after another, and answers what they were. */
  play(count: number): Promise<readonly Operation[]>;
}

/** Of ten edits so many create and so many delete; the rest updates. */
const creates = 3;
const deletes = 1;

export function createDeviceActivity(deployment: Deployment, seed: number): DeviceActivity {
  const random = createRandom(seed);
  return {
    async play(count) {
      const played: Operation[] = [];
      for (let turn = 0; turn < count; turn++) {
        const edit = await nextEdit(deployment, random);
        if (edit === undefined) break;
        await write(deployment, [edit], { origin: 'device' });
        played.push(edit);
      }
      return played;
    },
  };
}

/** Plays all the time. Answers how to end it, which waits for the edit at hand. */
export function startDeviceActivity(
  activity: DeviceActivity,
  editsPerMinute: number,
  log: Logger | undefined,
): () => Promise<void> {
  let current: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    current ??= activity
      .play(1)
      .catch((error: unknown) => log?.warn({ err: error }, 'a device could not save'))
      .finally(() => {
        current = undefined;
      });
  }, 60_000 / editsPerMinute);
  return async () => {
    clearInterval(timer);
    await current;
  };
}

/**
 * Users are made and deleted by the office, not by devices. Undefined when there is nothing to
 * edit.
 */
async function nextEdit(deployment: Deployment, random: Random): Promise<Operation | undefined> {
  const dataModel = deployment.dataModel();
  const models = [...dataModel.models.values()].filter(({ name }) => name !== dataModel.appUser);
  const model = random.pick(models);
  if (model === undefined) return undefined;
  const present = await pickObject(deployment, model.name, random);
  const turn = random.below(10);
  if (present === undefined || turn < creates) {
    const fields = await newContents(deployment, model, random);
    return { method: 'put', object: { ...fields, type: model.name, id: random.uuid() } };
  }
  const object = { type: model.name, id: present };
  if (turn < creates + deletes) return { method: 'delete', object };
  const field = random.pick([...model.fields.values()].filter((one) => !isAttachment(one)));
  return { method: 'patch', object: { ...object, ...(field ? { [field.name]: deviceValue(field, random) } : {}) } };
}

async function newContents(deployment: Deployment, model: Model, random: Random): Promise<Contents> {
  const contents: Record<string, Json> = {};
  for (const field of model.fields.values()) contents[field.name] = deviceValue(field, random);
  for (const relation of model.belongsTo.values())
    contents[referenceKey(relation)] = (await pickObject(deployment, relation.model, random)) ?? null;
  return contents;
}

/** The next one from a random id on, so that a million are as quick as one. */
async function pickObject({ pool, key }: Deployment, type: string, random: Random): Promise<string | undefined> {
  const from = random.uuid();
  for (const comparison of ['>=', '<']) {
    const { rows } = await pool.query<{ id: string }>(
      `select id from object where deployment = $1 and type = $2 and id ${comparison} $3 order by id limit 1`,
      [key, type, from],
    );
    if (rows[0] !== undefined) return rows[0].id;
  }
  return undefined;
}
