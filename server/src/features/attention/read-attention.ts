import { type Attention, attentionSchema } from '@portal/contract/attention';
import type { Logger } from '@portal/kit/logger';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import type { Caller } from '../../session/caller.ts';
import type { AttentionSource, Looked } from './attention-source.ts';
import { untilAborted } from './until-aborted.ts';

export interface Look {
  readonly sources: readonly AttentionSource[];
  readonly logger: Logger;
  /** After which a source answers what it has. */
  readonly withinMs: number;
  /** More time, to put that together; a source that does not is left behind. */
  readonly graceMs: number;
}

/**
 * Looks at all sources side by side. Whatever fails in one is told in `problems`, but for wrong
 * credentials.
 */
export async function readAttention(caller: Caller, { sources, logger, withinMs, graceMs }: Look): Promise<Looked> {
  const parts = await Promise.all(sources.map((source) => lookAt(source)));
  return {
    items: parts.flatMap(({ items }) => items).sort(byPressure),
    problems: [...new Set(parts.flatMap(({ problems }) => problems))],
  };

  async function lookAt(source: AttentionSource): Promise<Looked> {
    const late = AbortSignal.timeout(withinMs + graceMs);
    try {
      return await untilAborted(late, source.look(caller, AbortSignal.timeout(withinMs)));
    } catch (error) {
      if (error instanceof NotSignedIn) throw error;
      if (late.aborted) return { items: [], problems: [`There is no answer in time about ${source.subject}.`] };
      if (error instanceof Problem) return { items: [], problems: [error.message] };
      const { requestId } = caller.origin;
      logger.error({ err: error, requestId }, `attention: ${source.subject}`);
      return { items: [], problems: [`About ${source.subject} something went wrong in the portal (${requestId}).`] };
    }
  }
}

const pressure = attentionSchema.shape.kind.options;

/**
 * By kind, in the contract's order; then deployments the next one first, anything else the newest
 * first.
 */
function byPressure(a: Attention, b: Attention): number {
  const byKind = pressure.indexOf(a.kind) - pressure.indexOf(b.kind);
  const byTime = (a.at ?? '').localeCompare(b.at ?? '') * (a.kind === 'deployment' ? 1 : -1);
  return byKind || byTime || a.title.localeCompare(b.title);
}
