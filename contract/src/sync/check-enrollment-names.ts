import type { ConfigProblem } from './config.ts';
import {
  type Enrollment,
  hasContainers,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from './enrollment.ts';

const root = 'journeyToHeliumEnrollment';
const namePattern = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * Returns the errors of an enrollment that can be found without contacting either platform. A
 * disabled enrollment may be incomplete.
 */
export function checkEnrollmentNames(enrollment: Enrollment): ConfigProblem[] {
  const objects: Readonly<Record<string, string>> =
    enrollment.type === 'user'
      ? pickObjects(enrollment)
      : {
          ...pickObjects(enrollment),
          sessionObjectName: enrollment.sessionObjectName,
          ...(hasContainers(enrollment) && { sessionContainerObjectName: enrollment.sessionContainerObjectName }),
        };
  const problems = Object.entries(objects).flatMap(([field, value]) =>
    toProblems(field, findObjectNameError(field, value, enrollment.enabled)),
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

function findObjectNameError(field: string, value: string, isEnabled: boolean): string | undefined {
  if (value === '') return isEnabled ? 'is missing' : undefined;
  if (!namePattern.test(value)) return `"${value}" is not a valid name`;
  const isAllCaps = value.length > 1 && value === value.toUpperCase() && value !== value.toLowerCase();
  if (field === 'journeyObjectName' && isAllCaps) return 'must not be all capitals: Journey does not accept such names';
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
    const error = findFieldNameError(value) ?? (other && `"${value}" is already used by ${other}`);
    problems.push(...toProblems(`${prefix}${setting}`, error));
    usedBy.set(value.toLowerCase(), setting);
  }
  return problems;
}

/** Applies the guide's rules for attribute names. */
function findFieldNameError(value: string): string | undefined {
  if (!namePattern.test(value)) return `"${value}" is not a valid name`;
  if (/_id$/i.test(value)) return 'must not end in _id: Journey reserves such names for relationships';
  if (value.toLowerCase() === 'date')
    return 'must not be "date", which is reserved; use another name, such as creation_date';
  return undefined;
}

function toProblems(field: string, reason: string | undefined): ConfigProblem[] {
  return reason === undefined ? [] : [{ field: `${root}.${field}`, reason }];
}
