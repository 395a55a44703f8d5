/**
 * The endpoints of the sync service, as used by the page and scripts. Their paths are relative to a
 * base that depends on the environment; `withBase` adds it.
 */
import { getActivity, listActivity } from './sync-activity.ts';
import { getTemplate, getTemplateEnrollment, testConnection } from './sync-config.ts';
import { getConflictFile, getConflicts, restoreConflictFile, reviewConflicts } from './sync-conflicts.ts';
import { auditDrift, getDifferences, getDrift } from './sync-drift.ts';
import { getEnrollment, removeUnlisted, retryEnrollment } from './sync-enrollment-status.ts';
import { findRecords, lookAgain } from './sync-find.ts';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  setEnabled,
  tryNow,
} from './sync-integration.ts';
import { getHeldRecords, getWaitingFiles, retryFiles, retryHeld, skipFiles, skipHeld } from './sync-records.ts';
import { answerRecovery, getRecovery } from './sync-recovery.ts';
import { getWebhooks, saveWebhookSecrets } from './sync-webhooks.ts';

export const syncEndpoints = [
  listIntegrations,
  getIntegration,
  getTemplate,
  getTemplateEnrollment,
  testConnection,
  revealPassword,
  setEnabled,
  getHeldRecords,
  getConflicts,
  getConflictFile,
  restoreConflictFile,
  reviewConflicts,
  getWaitingFiles,
  retryFiles,
  skipFiles,
  retryHeld,
  skipHeld,
  findRecords,
  lookAgain,
  tryNow,
  getStatusHistory,
  moveCursor,
  auditDrift,
  getDrift,
  getDifferences,
  listActivity,
  getActivity,
  getEnrollment,
  retryEnrollment,
  removeUnlisted,
  getRecovery,
  answerRecovery,
  getWebhooks,
  saveWebhookSecrets,
] as const;
