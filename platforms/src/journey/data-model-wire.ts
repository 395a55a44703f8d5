/**
 * Journey's data model. A part that cannot be mapped is left out, so that all others are synced. A
 * name may also be only the key.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

const textOrNull = z.string().nullable().default(null);

/** Returns the shape of an object by name, without the entries that do not have this shape. */
function named<Shape extends z.ZodType>(toShape: (name: string) => Shape) {
  return z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((entries) =>
      Object.fromEntries(
        Object.entries(entries ?? {}).flatMap(([name, entry]): [string, z.output<Shape>][] => {
          const read = toShape(name).safeParse(entry);
          return read.success ? [[name, read.data]] : [];
        }),
      ),
    );
}

const nameOr = (key: string) =>
  z
    .string()
    .nullish()
    .transform((name) => name ?? key);

/** Of a boolean or a choice. */
const JourneyOption = z.object({
  /** Integer choices may omit it: then it is the option's position. */
  key: z.union([z.string(), z.number(), z.boolean()]).nullish(),
  display: textOrNull,
});

/**
 * A `type` such as `text`, `single-choice`, or `photo`. Older backends write a `subtype` as
 * `text:name`, newer ones as `name`.
 */
const journeyField = (key: string) =>
  z.object({
    name: nameOr(key),
    label: textOrNull,
    type: z.string(),
    subtype: textOrNull.transform((subtype) => subtype?.replace(/^text:/, '') ?? null),
    options: z
      .array(JourneyOption)
      .nullable()
      .default(null)
      .transform((options) => options?.map(({ key, display }, index) => ({ key: key ?? index, display })) ?? null),
    /** The media type of an attachment, or `any`. */
    media: textOrNull,
  });

const journeyRelation = (key: string) => z.object({ name: nameOr(key), model: z.string(), inverse_of: textOrNull });

const journeyModel = (key: string) =>
  z.object({
    name: nameOr(key),
    label: textOrNull,
    display: textOrNull,
    fields: named(journeyField),
    belongs_to: named(journeyRelation),
    has_many: named(journeyRelation),
  });

export const JourneyDataModel = z
  .object({
    /** Keyed by name. */
    models: named(journeyModel),
    /** The name of the model whose objects are the app's users. */
    app_user: textOrNull,
    datamodel_hash: textOrNull,
  })
  .transform(({ datamodel_hash, ...model }) => ({ ...model, datamodel_hash: datamodel_hash ?? toHash(model) }));
export type JourneyDataModel = z.infer<typeof JourneyDataModel>;

/** Stands for Journey's own hash, which nothing else depends on. */
function toHash(model: unknown): string {
  return createHash('sha256').update(JSON.stringify(model)).digest('hex');
}
