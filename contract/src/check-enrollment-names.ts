import type { ConfigProblem } from './sync-config.ts';
import {
  type Enrollment,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from './sync-enrollment.ts';

const root = 'journeyToHeliumEnrollment';
const name = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * What can be said of an enrollment without looking at either platform. One that is switched off
 * may have gaps.
 */
export function checkEnrollmentNames(enrollment: Enrollment): ConfigProblem[] {
  const objects: Readonly<Record<string, string>> =
    enrollment.type === 'user'
      ? pickObjects(enrollment)
      : {
          ...pickObjects(enrollment),
          sessionObjectName: enrollment.sessionObjectName,
          sessionContainerObjectName: enrollment.sessionContainerObjectName,
        };
  const problems = Object.entries(objects).flatMap(([field, value]) =>
    problemsOf(field, objectFault(field, value, enrollment.enabled)),
  );
  if (enrollment.type === 'user') return [...problems, ...checkFields('', enrollment, userFieldHints)];
  const { sessionObjectFieldNames, sessionContainerObjectFieldNames } = enrollment;
  return [
    ...problems,
    ...checkFields('', enrollment, sessionUserFieldHints),
    ...checkFields('sessionObjectFieldNames.', sessionObjectFieldNames, sessionObjectFieldHints),
    ...checkFields(
      'sessionContainerObjectFieldNames.',
      sessionContainerObjectFieldNames,
      sessionContainerObjectFieldHints,
    ),
  ];
}

function pickObjects({ heliumObjectName, journeyObjectName }: Enrollment): Record<string, string> {
  return { heliumObjectName, journeyObjectName };
}

function objectFault(field: string, value: string, isEnabled: boolean): string | undefined {
  if (value === '') return isEnabled ? 'is missing' : undefined;
  if (!name.test(value)) return `"${value}" is not a name`;
  const isAllCaps = value.length > 1 && value === value.toUpperCase() && value !== value.toLowerCase();
  if (field === 'journeyObjectName' && isAllCaps) return 'must not be all capitals: Journey does not take such names';
  return undefined;
}

function checkFields<Hints extends object>(
  prefix: string,
  names: Readonly<Partial<Record<keyof Hints & string, string | undefined>>>,
  hints: Hints,
): ConfigProblem[] {
  const usedBy = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  for (const setting in hints) {
    const value = names[setting];
    if (value === undefined || value === '') continue;
    const other = usedBy.get(value.toLowerCase());
    const fault = fieldFault(value) ?? (other && `"${value}" is the name of ${other} already`);
    problems.push(...problemsOf(`${prefix}${setting}`, fault));
    usedBy.set(value.toLowerCase(), setting);
  }
  return problems;
}

/** The rules of the guide for the names of attributes. */
function fieldFault(value: string): string | undefined {
  if (!name.test(value)) return `"${value}" is not a name`;
  if (/_id$/i.test(value)) return 'must not end in _id: Journey keeps such names for relationships';
  if (value.toLowerCase() === 'date') return 'must not be date, which is reserved; creation_date would do';
  return undefined;
}

function problemsOf(field: string, reason: string | undefined): ConfigProblem[] {
  return reason === undefined ? [] : [{ field: `${root}.${field}`, reason }];
}
