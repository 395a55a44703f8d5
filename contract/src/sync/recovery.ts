/**
 * Questions that halt an integration until an operator answers them: one side was restored from a
 * backup, or many records would be deleted or values cleared.
 */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema, shortTextSchema } from './config.ts';
import { syncIntegrationSchema } from './integration.ts';

const sideSchema = z.enum(['helium', 'journey']);
export type Side = z.infer<typeof sideSchema>;

/** How many records of one object differ between the two sides. */
const objectDifferenceSchema = z.object({
  table: z.string(),
  /** Which directions the object is synced in. */
  toHelium: z.boolean(),
  toJourney: z.boolean(),
  onlyInHelium: z.number(),
  onlyInJourney: z.number(),
  /** Records on both sides with different values. */
  differ: z.number(),
  /** Of those on one side only: records known as deleted, which "keep both" brings back. */
  comingBack: z.number(),
});
export type ObjectDifference = z.infer<typeof objectDifferenceSchema>;

const questionFields = {
  /** Identifies the question; an answer to an older one is refused. */
  id: z.string(),
  askedAt: z.string(),
  /** What was found and how it is known, in sentences for operators. */
  reason: z.string(),
};

const restoredQuestionSchema = z.object({
  kind: z.literal('restored'),
  ...questionFields,
  /** The side that went back. */
  side: sideSchema,
  /** The time of its newest data; null if unknown. */
  asOf: z.nullable(z.string()),
  /** The only tables that went back; absent when the whole side did. */
  tables: z.optional(z.array(z.string())),
  objects: z.array(objectDifferenceSchema),
});
export type RestoredQuestion = z.infer<typeof restoredQuestionSchema>;

const deletionsQuestionSchema = z.object({
  kind: z.literal('deletions'),
  ...questionFields,
  /** Where the records would be deleted. */
  side: sideSchema,
  table: z.string(),
  /** How many records both sides had, and how many of them are absent on the other side now. */
  known: z.number(),
  absent: z.number(),
  /** Whether the object is synced back, so that `keep` creates the records there again. */
  isSyncedBack: z.boolean(),
  /** References to these records that the deletion would clear. */
  clearedReferences: z.array(z.object({ table: z.string(), column: z.string(), records: z.number() })),
  /** The first hundred of them. */
  sample: z.array(z.object({ id: z.string(), values: z.record(z.string(), z.unknown()) })),
});
export type DeletionsQuestion = z.infer<typeof deletionsQuestionSchema>;

const clearingsQuestionSchema = z.object({
  kind: z.literal('clearings'),
  ...questionFields,
  /** Where the values would be cleared. */
  side: sideSchema,
  table: z.string(),
  /** How many values both sides had, and how many of them the other side no longer has. */
  columns: z.array(z.object({ column: z.string(), known: z.number(), absent: z.number() })),
  /** How many records have such a value. */
  records: z.number(),
  /** Whether the object is synced back, so that `keep` restores the values there. */
  isSyncedBack: z.boolean(),
  /** These values of the first hundred records. */
  sample: z.array(z.object({ id: z.string(), values: z.record(z.string(), z.unknown()) })),
});
export type ClearingsQuestion = z.infer<typeof clearingsQuestionSchema>;

export const recoveryQuestionSchema = z.discriminatedUnion('kind', [
  restoredQuestionSchema,
  deletionsQuestionSchema,
  clearingsQuestionSchema,
]);
export type RecoveryQuestion = z.infer<typeof recoveryQuestionSchema>;

/**
 * Restored: `keep-both` discards what both sides had and merges them; `helium` and `journey` make
 * the other side equal to that one. Deletions: `delete` deletes them, `keep` brings them back.
 * Clearings: `clear` clears them, `keep` brings them back.
 */
const recoveryAnswerSchema = z.enum(['keep-both', 'helium', 'journey', 'keep', 'delete', 'clear']);
export type RecoveryAnswer = z.infer<typeof recoveryAnswerSchema>;

/** Has to be typed to confirm an answer that deletes records or clears values. */
export const deleteConfirmation = 'DELETE';

/** Numbers of records. */
export interface SideEffect {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
}

/** Returns the answers a question allows, the default first. */
export function getAnswers(question: RecoveryQuestion): readonly RecoveryAnswer[] {
  if (question.kind === 'deletions') return ['keep', 'delete'];
  if (question.kind === 'clearings') return ['keep', 'clear'];
  const canWrite = (direction: 'toHelium' | 'toJourney') => question.objects.some((object) => object[direction]);
  return [
    'keep-both',
    ...(canWrite('toJourney') ? (['helium'] as const) : []),
    ...(canWrite('toHelium') ? (['journey'] as const) : []),
  ];
}

/**
 * Returns how many records an answer creates, changes and deletes on each side. For
 * `keep-both`, `changed` is a maximum, because the conflict policy decides which side wins a field.
 */
export function predictEffect(question: RecoveryQuestion, answer: RecoveryAnswer): Readonly<Record<Side, SideEffect>> {
  const none: SideEffect = { created: 0, changed: 0, deleted: 0 };
  if (question.kind === 'clearings') {
    const { side, records, isSyncedBack } = question;
    if (answer === 'clear') return { helium: none, journey: none, [side]: { ...none, changed: records } };
    const other = side === 'helium' ? 'journey' : 'helium';
    return { helium: none, journey: none, [other]: { ...none, changed: isSyncedBack ? records : 0 } };
  }
  if (question.kind === 'deletions') {
    const other = question.side === 'helium' ? 'journey' : 'helium';
    if (answer === 'delete') {
      const changed = question.clearedReferences.reduce((total, { records }) => total + records, 0);
      return { helium: none, journey: none, [question.side]: { ...none, changed, deleted: question.absent } };
    }
    return { helium: none, journey: none, [other]: { ...none, created: question.isSyncedBack ? question.absent : 0 } };
  }
  const sum = (of: (object: ObjectDifference) => number) =>
    question.objects.reduce((total, object) => total + of(object), 0);
  return {
    helium: {
      created: sum(({ toHelium, onlyInJourney }) => (toHelium && answer !== 'helium' ? onlyInJourney : 0)),
      changed: sum(({ toHelium, differ }) => (toHelium && answer !== 'helium' ? differ : 0)),
      deleted: sum(({ toHelium, onlyInHelium }) => (toHelium && answer === 'journey' ? onlyInHelium : 0)),
    },
    journey: {
      created: sum(({ toJourney, onlyInHelium }) => (toJourney && answer !== 'journey' ? onlyInHelium : 0)),
      changed: sum(({ toJourney, differ }) => (toJourney && answer !== 'journey' ? differ : 0)),
      deleted: sum(({ toJourney, onlyInJourney }) => (toJourney && answer === 'helium' ? onlyInJourney : 0)),
    },
  };
}

/** Returns whether the user must type `deleteConfirmation` to give this answer. */
export function needsConfirmation(question: RecoveryQuestion, answer: RecoveryAnswer): boolean {
  const { helium, journey } = predictEffect(question, answer);
  return answer === 'clear' || helium.deleted + journey.deleted > 0;
}

export const getRecovery = endpoint({
  method: 'GET',
  path: '/recovery/:appId',
  summary: 'Get the question that halts an integration until it is answered',
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ question: z.nullable(recoveryQuestionSchema) }),
});

/** Answers the question and enables the integration, which then acts on the answer. */
export const answerRecovery = endpoint({
  method: 'POST',
  path: '/answer-recovery',
  summary: 'Answer the question that halts an integration, and enable it',
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.answer-recovery', description: 'Question that halted the integration answered' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    questionId: shortTextSchema,
    answer: recoveryAnswerSchema,
    /** `deleteConfirmation` for an answer that deletes or clears something; otherwise ignored. */
    confirmation: z.optional(shortTextSchema),
  }),
  response: syncIntegrationSchema,
});
