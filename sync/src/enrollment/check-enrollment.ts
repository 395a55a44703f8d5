/** Checks the enrollment part of a configuration against what both sides have. */
import type { ConfigProblem } from '@portal/contract/sync-config';
import {
  type Enrollment,
  type FieldHint,
  type SessionEnrollment,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync-enrollment';
import type { HeliumCatalog, Table } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import { findColumns, findTable } from './enrollment-columns.ts';

const part = 'journeyToHeliumEnrollment';

/**
 * Returns all problems, each with its field of the configuration; none when enrollment is disabled.
 *
 * @param models null while Journey is unreachable: then its side is not checked
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
  if (keepsContainers(enrollment)) {
    const name = enrollment.sessionContainerObjectName;
    check.object('sessionContainerObjectName', name, containerNames, sessionContainerObjectFieldHints);
  }
}

/** Whether containers are configured; they are optional. */
export function keepsContainers({
  sessionContainerObjectName,
  sessionContainerObjectFieldNames,
}: SessionEnrollment): boolean {
  const names = Object.values(sessionContainerObjectFieldNames);
  return sessionContainerObjectName.trim() !== '' || names.some((name) => !!name?.trim());
}

function checkModel(name: string, { models, userModel }: JourneyCatalog): ConfigProblem[] {
  const field = `${part}.journeyObjectName`;
  if (!models.some((model) => model.name === name)) {
    const alike = models.find((model) => model.name.toLowerCase() === name.trim().toLowerCase());
    const hint = alike === undefined ? '' : `; it has ${alike.name}`;
    return [{ field, reason: `Journey has no model ${name || 'without a name'}${hint}.` }];
  }
  if (userModel === null || userModel === name) return [];
  return [{ field, reason: `${name} is not the user model of the Journey app, which is ${userModel}.` }];
}

function checkCode(enrollment: Enrollment, problems: ConfigProblem[]): void {
  if (!enrollment.generateEnrollmentCodeFieldName?.trim() || enrollment.enrollmentCodeFieldName?.trim()) return;
  const reason = 'Enrollment codes are asked for, but no attribute is named to hold them.';
  problems.push({ field: `${part}.enrollmentCodeFieldName`, reason });
}

/** Session objects are replaced whole, so no two may be the same. */
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
      const reason = objectName.trim() === '' ? 'An object must be named.' : `The app has no object ${objectName}.`;
      this.problems.push({ field: `${part}.${field}`, reason });
      return;
    }
    const other = this.seen.get(table);
    if (other !== undefined) {
      this.problems.push({ field: `${part}.${field}`, reason: `${objectName} is named as ${other} already.` });
    }
    this.seen.set(table, field);
    const place = field === 'heliumObjectName' ? part : `${part}.${field.replace(/Name$/, 'FieldNames')}`;
    for (const problem of findColumns(table, names, hints).problems) {
      this.problems.push({ field: `${place}.${problem.field}`, reason: problem.reason });
    }
  }
}
