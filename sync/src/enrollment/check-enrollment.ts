/** Checks the enrollment part of a configuration against both data models. */
import type { ConfigProblem } from '@portal/contract/sync/config';
import {
  type Enrollment,
  type FieldHint,
  hasContainers,
  type SessionEnrollment,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync/enrollment';
import type { HeliumCatalog, Table } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import { findColumns, findTable } from './enrollment-columns.ts';

const configSection = 'journeyToHeliumEnrollment';

/**
 * Returns all problems, each with its field of the configuration; none when enrollment is disabled.
 *
 * @param models null when Journey is unreachable: its side is then not checked
 */
export function checkEnrollment(
  enrollment: Enrollment,
  catalog: HeliumCatalog,
  models: JourneyCatalog | null,
): ConfigProblem[] {
  if (!enrollment.enabled) return [];
  const problems: ConfigProblem[] = models === null ? [] : checkModel(enrollment.journeyObjectName, models);
  const check = new ObjectCheck(catalog, problems);
  if (enrollment.type === 'user') {
    check.object('heliumObjectName', enrollment.heliumObjectName, enrollment, userFieldHints);
  } else {
    check.object('heliumObjectName', enrollment.heliumObjectName, enrollment, sessionUserFieldHints);
    checkSessionObjects(enrollment, check);
  }
  checkCode(enrollment, problems);
  return problems;
}

function checkSessionObjects(enrollment: SessionEnrollment, check: ObjectCheck): void {
  const { sessionObjectName, sessionObjectFieldNames, sessionContainerObjectFieldNames: containerNames } = enrollment;
  check.object('sessionObjectName', sessionObjectName, sessionObjectFieldNames, sessionObjectFieldHints);
  if (hasContainers(enrollment)) {
    const name = enrollment.sessionContainerObjectName;
    check.object('sessionContainerObjectName', name, containerNames, sessionContainerObjectFieldHints);
  }
}

function checkModel(name: string, { models, userModel }: JourneyCatalog): ConfigProblem[] {
  const field = `${configSection}.journeyObjectName`;
  if (!models.some((model) => model.name === name)) {
    const similar = models.find((model) => model.name.toLowerCase() === name.trim().toLowerCase());
    const hint = similar === undefined ? '' : `; it has ${similar.name}`;
    return [{ field, reason: `Journey has no model ${name || 'without a name'}${hint}.` }];
  }
  if (userModel === null || userModel === name) return [];
  return [{ field, reason: `${name} is not the user model of the Journey app, which is ${userModel}.` }];
}

function checkCode(enrollment: Enrollment, problems: ConfigProblem[]): void {
  if (!enrollment.generateEnrollmentCodeFieldName?.trim() || enrollment.enrollmentCodeFieldName?.trim()) return;
  const reason = 'Enrollment codes are requested, but no attribute is configured to store them.';
  problems.push({ field: `${configSection}.enrollmentCodeFieldName`, reason });
}

/**
 * Checks objects for enrollment. No two may be the same, because session objects are replaced
 * entirely.
 */
class ObjectCheck {
  private readonly catalog: HeliumCatalog;
  private readonly problems: ConfigProblem[];
  private readonly seen = new Map<Table, string>();

  constructor(catalog: HeliumCatalog, problems: ConfigProblem[]) {
    this.catalog = catalog;
    this.problems = problems;
  }

  object<Name extends string>(
    field: `${string}ObjectName`,
    objectName: string,
    names: { readonly [N in NoInfer<Name>]?: string | undefined },
    hints: Readonly<Record<Name, FieldHint>>,
  ): void {
    const table = findTable(this.catalog, objectName);
    if (table === undefined) {
      const reason = objectName.trim() === '' ? 'Enter the name of an object.' : `The app has no object ${objectName}.`;
      this.problems.push({ field: `${configSection}.${field}`, reason });
      return;
    }
    const other = this.seen.get(table);
    if (other !== undefined) {
      this.problems.push({ field: `${configSection}.${field}`, reason: `${objectName} is already used as ${other}.` });
    }
    this.seen.set(table, field);
    const fieldPrefix =
      field === 'heliumObjectName' ? configSection : `${configSection}.${field.replace(/Name$/, 'FieldNames')}`;
    for (const problem of findColumns(table, names, hints).problems) {
      this.problems.push({ field: `${fieldPrefix}.${problem.field}`, reason: problem.reason });
    }
  }
}
