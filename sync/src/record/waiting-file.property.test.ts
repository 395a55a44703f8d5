import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerAddress, failFile, needsAddress, seeFile, storeFile, type WaitingFile } from './waiting-file.ts';

const backoff = { initialMs: 5_000, maxMs: 3_600_000 };
const ids = ['one', 'two'];

/** What may happen to a field of Journey, and to the engine that gets its file. */
type Step =
  | { readonly kind: 'named'; readonly id: string; readonly isUploaded: boolean }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'uploaded' }
  | { readonly kind: 'tried'; readonly outcome: 'fails' | 'killed' | 'not writable' | 'written' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('named' as const), id: fc.constantFrom(...ids), isUploaded: fc.boolean() }),
  fc.record({ kind: fc.constant('cleared' as const) }),
  fc.record({ kind: fc.constant('uploaded' as const) }),
  fc.record({
    kind: fc.constant('tried' as const),
    outcome: fc.constantFrom('fails' as const, 'killed' as const, 'not writable' as const, 'written' as const),
  }),
);

/** A field in Journey, what the engine stores of its file, and what was counted. */
class Play {
  nowMs = 0;
  field: { id: string; isUploaded: boolean } | null = null;
  stored: WaitingFile | undefined;
  /** The file that Helium has. */
  written: string | null = null;
  downloads = 0;
  failures = 0;
  files = 0;

  see(): void {
    const { field, stored, written, nowMs } = this;
    if (!field || field.id === written) {
      this.stored = undefined;
      if (!field) this.written = null;
      return;
    }
    const { id, isUploaded } = field;
    const seen = { id, url: isUploaded ? `/files/${id}` : null, state: isUploaded ? 'uploaded' : 'pending' };
    if (stored?.journeyId !== id) this.files += 1;
    this.stored = seeFile(stored, seen, { changedAtMs: nowMs, nowMs, backoff });
  }

  /** Waits until the file is due, and makes one attempt. */
  try(outcome: 'fails' | 'killed' | 'not writable' | 'written'): void {
    if (!this.stored || this.stored.retryAtMs === null) return;
    this.nowMs = Math.max(this.nowMs, this.stored.retryAtMs);
    if (needsAddress(this.stored)) {
      const { field } = this;
      const seen = field && { id: field.id, url: field.isUploaded ? `/files/${field.id}` : null, state: null };
      this.stored = answerAddress(this.stored, seen, this.nowMs, backoff);
    }
    if (this.stored.state === 'announced') return;
    if (this.stored.state === 'uploaded') {
      expect(this.stored.url).not.toBeNull();
      this.downloads += 1;
      if (outcome === 'fails' || outcome === 'killed') this.failures += 1;
      if (outcome === 'fails') this.stored = failFile(this.stored, 'It failed.', this.nowMs, backoff);
      if (outcome === 'fails' || outcome === 'killed') return;
    } else if (outcome === 'killed' || outcome === 'fails') return;
    if (outcome === 'not writable') {
      this.stored = failFile(storeFile(this.stored, 'sha256:ab'), 'Its row is locked.', this.nowMs, backoff);
      return;
    }
    this.written = this.stored.journeyId;
    this.stored = undefined;
  }

  take(one: Step): void {
    if (one.kind === 'named') this.field = { id: one.id, isUploaded: one.isUploaded };
    if (one.kind === 'cleared') this.field = null;
    // No entry reports it.
    if (one.kind === 'uploaded' && this.field) this.field.isUploaded = true;
    if (one.kind === 'named' || one.kind === 'cleared') this.see();
    if (one.kind === 'tried') this.try(one.outcome);
  }
}

describe('a waiting file', () => {
  it('is always the last one that Journey named, and is downloaded once apart from failures', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const play = new Play();
        for (const one of steps) {
          play.take(one);
          const { stored, field, written } = play;
          if (stored) expect(stored.journeyId).toBe(field?.id);
          // Whatever Helium lacks is waited for.
          if (field && field.id !== written) expect(stored).toBeDefined();
          if (stored) expect((stored.retryAtMs ?? 0) - play.nowMs).toBeLessThanOrEqual(backoff.maxMs);
          expect(play.downloads).toBeLessThanOrEqual(play.files + play.failures);
        }
      }),
    );
  });

  it('arrives without an operator once it is uploaded and can be downloaded and written, whatever happened before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const play = new Play();
        for (const one of steps) play.take(one);
        if (play.field) play.field.isUploaded = true;
        const sinceMs = play.nowMs;
        for (let attempts = 0; attempts < 2; attempts += 1) play.try('written');
        expect(play.written).toBe(play.field?.id ?? null);
        expect(play.nowMs - sinceMs).toBeLessThanOrEqual(backoff.maxMs);
      }),
    );
  });

  it('is asked for after 5 s, and then after twice the time, up to an hour', () => {
    const seen = { id: 'one', url: null, state: 'pending' };
    let file = seeFile(undefined, seen, { changedAtMs: 0, nowMs: 0, backoff });
    const delays: number[] = [];
    for (let nowMs = 0, attempts = 0; attempts < 12; attempts += 1) {
      delays.push(((file.retryAtMs ?? 0) - nowMs) / 1000);
      nowMs = file.retryAtMs ?? 0;
      file = answerAddress(file, seen, nowMs, backoff);
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  });
});
