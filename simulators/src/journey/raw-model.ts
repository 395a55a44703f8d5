import type { Model } from './data-model.ts';

/** A parsed model whose references to other models are not validated yet. */
export interface RawModel extends Omit<Model, 'hasMany'> {
  readonly hasMany: readonly RawHasMany[];
}

export interface RawHasMany {
  readonly name: string;
  readonly model: string;
  readonly inverseOf: string | undefined;
}
