import { appPictures } from './app-pictures.ts';
import { auditPictures } from './audit-pictures.ts';
import { dbSpyPictures } from './db-spy-pictures.ts';
import { deploymentPictures } from './deployment-pictures.ts';
import { doctorPictures } from './doctor-pictures.ts';
import { logPictures } from './log-pictures.ts';
import type { Picture } from './picture-stage.ts';
import { rosterPictures } from './roster-pictures.ts';
import { schemaAccessPictures } from './schema-access-pictures.ts';
import { sessionPictures } from './session-pictures.ts';
import { shellPictures } from './shell-pictures.ts';
import { syncDashboardPictures } from './sync-dashboard-pictures.ts';
import { syncFormPictures } from './sync-form-pictures.ts';
import { syncGuidePictures } from './sync-guide-pictures.ts';
import { syncPictures } from './sync-pictures.ts';
import { syncRecoveryPictures } from './sync-recovery-pictures.ts';

/** Every screen and every designed state. */
export const pictures: readonly Picture[] = [
  ...shellPictures,
  ...appPictures,
  ...dbSpyPictures,
  ...schemaAccessPictures,
  ...logPictures,
  ...deploymentPictures,
  ...rosterPictures,
  ...auditPictures,
  ...doctorPictures,
  ...sessionPictures,
  ...syncPictures,
  ...syncRecoveryPictures,
  ...syncFormPictures,
  ...syncGuidePictures,
  ...syncDashboardPictures,
];
