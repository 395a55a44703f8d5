import type * as z from 'zod/mini';
import type { ParamsOf } from './endpoint.ts';
import type { Rules } from './rules.ts';

/**
 * The definition of a socket as data. `frame` is the first frame that a client sends. Each kind of
 * frame has its own rules.
 */
export interface Socket<Frame extends z.ZodMiniType = z.ZodMiniType> {
  readonly paths: readonly [`/${string}`, ...`/${string}`[]];
  readonly summary: string;
  readonly frame: Frame;
  readonly rules: Readonly<Record<string, Rules>>;
}

/** Preserves the literal types of a socket definition, as `endpoint` does. */
export function socket<const S extends Socket>(
  definition: S & {
    readonly rules: Readonly<
      Record<string, Rules<ParamsOf<S['paths'][number]> | (keyof z.infer<S['frame']> & string)>>
    >;
  },
): S {
  return definition;
}
