/** Enrollment with one device per user, for worlds whose users also have sessions. */
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { userTables } from './played-users.fixture.ts';

export const userModeTables = {
  ...userTables,
  user: [...userTables.user, 'reenroll boolean', 'reenrolledat timestamp', 'url text'],
};

export const userMode: Enrollment = {
  type: 'user',
  enabled: true,
  heliumObjectName: 'User',
  journeyObjectName: 'user',
  updateIntervalMins: 60,
  generateEnrollmentCodeFieldName: 'wantsCode',
  enrollmentCodeFieldName: 'code',
  performReEnrollmentFieldName: 'reEnroll',
  reEnrollmentLastProcessedFieldName: 'reEnrolledAt',
  urlFieldName: 'url',
};
