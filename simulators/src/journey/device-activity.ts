/**
 * Simulates users in the field, whose edits use the same write path as the API. The same seed makes
 * the same edits to the same objects.
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
  /** Makes the next edits one after another and returns them. */
  play(count: number): Promise<readonly Operation[]>;
}

/** How many of ten edits create and delete; the rest update. */
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

/**
 * Plays edits continuously while they are on. Returns a function that stops it and waits for the
 * current edit.
 */
export function startDeviceActivity(
  activity: DeviceActivity,
  { editsPerMinute, isOn }: { readonly editsPerMinute: number; readonly isOn: () => boolean },
  log: Logger | undefined,
): () => Promise<void> {
  let current: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    if (!isOn()) return;
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

/** Returns undefined when there is nothing to edit. Devices neither create nor delete users. */
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

/** Picks the next object from a random id on, which is equally fast for any number of objects. */
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
