import type { Model } from './data-model.ts';

/** A model before what it says of others is known to be true. */
export interface RawModel extends Omit<Model, 'hasMany'> {
  readonly hasMany: readonly RawHasMany[];
}

export interface RawHasMany {
  readonly name: string;
  readonly model: string;
  readonly inverseOf: string | undefined;
}
