import {
  type ClearingsQuestion,
  type DeletionsQuestion,
  getAnswers,
  needsConfirmation,
  type ObjectDifference,
  predictEffect,
  type RecoveryAnswer,
  type RecoveryQuestion,
  type RestoredQuestion,
  type Side,
  type SideEffect,
} from '@portal/contract/sync/recovery';
import { formatCount, formatPlural } from '../../../format/numbers.ts';

export const sideNames: Readonly<Record<Side, string>> = { helium: 'Helium', journey: 'Journey' };

export function getOtherSide(side: Side): Side {
  return side === 'helium' ? 'journey' : 'helium';
}

/** Describes what happened, as a heading. */
export function describeQuestion(question: RecoveryQuestion): string {
  const side = sideNames[question.side];
  if (question.kind === 'restored') return `${side} went back to an earlier state`;
  if (question.kind === 'clearings')
    return `${formatPlural(countValues(question), 'value')} of ${question.table} would be cleared in ${side}`;
  const { absent, known, table } = question;
  const records = absent < known ? `${formatCount(absent)} of ${formatPlural(known, 'record')}` : describeAll(known);
  return `${records} of ${table} would be deleted in ${side}`;
}

function countValues({ columns }: ClearingsQuestion): number {
  return columns.reduce((total, { absent }) => total + absent, 0);
}

function describeAll(count: number): string {
  return count === 1 ? 'The only record' : `All ${formatPlural(count, 'record')}`;
}

/** An answer as a choice of the operator. */
export interface AnswerOption {
  readonly answer: RecoveryAnswer;
  readonly label: string;
  readonly description: string;
  /** What it creates, changes and deletes, per side. */
  readonly effects: readonly { readonly side: Side; readonly text: string }[];
  /** How many records it deletes, on both sides. */
  readonly deleted: number;
  /** How many values it clears. */
  readonly cleared: number;
  readonly needsConfirmation: boolean;
  /** The label of the button that gives the answer. */
  readonly action: string;
  /** What the integration does afterwards. */
  readonly next: string;
  /** The same after the answer was given. */
  readonly done: string;
}

/** Returns the answers a question allows, the default first. */
export function getOptions(question: RecoveryQuestion): readonly AnswerOption[] {
  return getAnswers(question).map((answer) => {
    const effect = predictEffect(question, answer);
    const sides: readonly Side[] = ['helium', 'journey'];
    return {
      answer,
      effects: sides.map((side) => ({ side, text: describeEffect(effect[side], answer) })),
      deleted: effect.helium.deleted + effect.journey.deleted,
      cleared: question.kind === 'clearings' && answer === 'clear' ? countValues(question) : 0,
      needsConfirmation: needsConfirmation(question, answer),
      ...getTexts(question, answer),
    };
  });
}

/** Describes an effect: "12 records created, up to 3 changed, none deleted". */
export function describeEffect({ created, changed, deleted }: SideEffect, answer: RecoveryAnswer): string {
  const counts = [
    { count: created, verb: 'created', isMax: false },
    { count: changed, verb: 'changed', isMax: answer === 'keep-both' },
    { count: deleted, verb: 'deleted', isMax: false },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return 'nothing changes';
  const parts = counts.map(({ count, verb, isMax }, at) => {
    const records = at === 0 ? formatPlural(count, 'record') : formatCount(count);
    return `${isMax ? 'up to ' : ''}${records} ${verb}`;
  });
  return [...parts, ...(deleted === 0 ? ['none deleted'] : [])].join(', ');
}

type Texts = Pick<AnswerOption, 'label' | 'description' | 'action' | 'next' | 'done'>;

function getTexts(question: RecoveryQuestion, answer: RecoveryAnswer): Texts {
  if (question.kind === 'restored')
    return answer === 'helium' || answer === 'journey' ? toEqualTexts(answer) : toKeepBothTexts(question);
  if (question.kind === 'clearings') return answer === 'clear' ? toClearTexts(question) : toKeepValuesTexts(question);
  const { absent, table, side, isSyncedBack } = question;
  const records = absent === 1 ? 'the record' : `the ${formatCount(absent)} records`;
  const [there, missing] = [sideNames[side], sideNames[getOtherSide(side)]];
  return answer === 'delete'
    ? {
        label: absent === 1 ? 'Delete it' : 'Delete them',
        description: `Choose this only if ${absent === 1 ? 'the record was' : 'the records were'} deleted in ${missing} on purpose. The portal cannot bring ${absent === 1 ? 'it' : 'them'} back.`,
        action: `Delete ${formatPlural(absent, 'record')}`,
        next: `The integration is enabled, deletes ${records} of ${table} in ${there}, and continues to sync.`,
        done: `The integration is enabled and deletes ${records} of ${table} in ${there}.`,
      }
    : {
        label: absent === 1 ? 'Keep it' : 'Keep them',
        description: describeKept({ absent, there, missing, isSyncedBack }),
        action: absent === 1 ? 'Keep the record' : 'Keep the records',
        next: `The integration is enabled, keeps ${records} of ${table}, and continues to sync.`,
        done: `The integration is enabled and keeps ${records} of ${table}. Nothing is deleted.`,
      };
}

function toClearTexts(question: ClearingsQuestion): Texts {
  const { table, side } = question;
  const [there, missing] = [sideNames[side], sideNames[getOtherSide(side)]];
  const values = formatPlural(countValues(question), 'value');
  return {
    label: 'Clear them',
    description: `Choose this only if the values were cleared in ${missing} on purpose. The portal cannot bring them back.`,
    action: `Clear ${values}`,
    next: `The integration is enabled, clears ${values} of ${table} in ${there}, and continues to sync.`,
    done: `The integration is enabled and clears ${values} of ${table} in ${there}.`,
  };
}

function toKeepValuesTexts({ table, side, isSyncedBack }: ClearingsQuestion): Texts {
  const [there, missing] = [sideNames[side], sideNames[getOtherSide(side)]];
  return {
    label: 'Keep them',
    description: isSyncedBack
      ? `The values stay in ${there} and are restored in ${missing}.`
      : `The values stay in ${there} and are not restored in ${missing}, because ${there} is not synced to it.`,
    action: 'Keep the values',
    next: `The integration is enabled, keeps the values of ${table}, and continues to sync.`,
    done: `The integration is enabled and keeps the values of ${table}. Nothing is cleared.`,
  };
}

function describeKept({
  absent,
  there,
  missing,
  isSyncedBack,
}: Pick<DeletionsQuestion, 'absent' | 'isSyncedBack'> & { readonly there: string; readonly missing: string }): string {
  const [stay, are] = absent === 1 ? ['The record stays', 'is'] : ['The records stay', 'are'];
  return isSyncedBack
    ? `${stay} in ${there} and ${are} created in ${missing} again.`
    : `${stay} in ${there} and ${are} not created in ${missing}, because ${there} is not synced to it.`;
}

function toKeepBothTexts(question: RestoredQuestion): Texts {
  const { comingBack } = getTotals(question.objects);
  const back = comingBack === 0 ? '' : ` ${describeComingBack(comingBack)}`;
  return {
    label: 'Keep both',
    description: `What exists on one side is created on the other. Where values differ, one wins, and both are listed as a conflict.${back}`,
    action: 'Keep both',
    next: 'The integration is enabled, reads both sides completely, and continues to sync. Check the conflicts afterwards.',
    done: 'The integration is enabled and reads both sides completely. Nothing is deleted. Values that differ are listed as conflicts while it reads.',
  };
}

function describeComingBack(count: number): string {
  return count === 1
    ? '1 record that was deleted before comes back.'
    : `${formatCount(count)} records that were deleted before come back.`;
}

function toEqualTexts(right: Side): Texts {
  const [kept, other] = [sideNames[right], sideNames[getOtherSide(right)]];
  return {
    label: `${kept} is right`,
    description: `${other} becomes equal to ${kept}. What exists only in ${other} is deleted, and values that differ are replaced. The portal cannot bring them back.`,
    action: `Make ${other} equal to ${kept}`,
    next: `The integration is enabled, makes ${other} equal to ${kept}, and continues to sync.`,
    done: `The integration is enabled and makes ${other} equal to ${kept}.`,
  };
}

type Counts = Pick<ObjectDifference, 'onlyInHelium' | 'onlyInJourney' | 'differ' | 'comingBack'>;

export function getTotals(objects: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => objects.reduce((total, object) => total + object[name], 0);
  return {
    onlyInHelium: sum('onlyInHelium'),
    onlyInJourney: sum('onlyInJourney'),
    differ: sum('differ'),
    comingBack: sum('comingBack'),
  };
}

/** Returns the objects with differences, the largest difference first. */
export function getDifferingObjects(objects: readonly ObjectDifference[]): readonly ObjectDifference[] {
  const size = ({ onlyInHelium, onlyInJourney, differ }: ObjectDifference) => onlyInHelium + onlyInJourney + differ;
  return objects.filter((object) => size(object) > 0).toSorted((a, b) => size(b) - size(a));
}
