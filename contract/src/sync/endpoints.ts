/**
 * The endpoints of the sync service, as used by the page and scripts. Their paths are relative to a
 * base that depends on the environment; `withBase` adds it.
 */
import { getActivity, listActivity } from './activity.ts';
import { getTemplate, getTemplateEnrollment, testConnection } from './config.ts';
import { getConflictFile, getConflicts, restoreConflictFile, reviewConflicts } from './conflicts.ts';
import { auditDrift, getDifferences, getDrift } from './drift.ts';
import { getEnrollment, removeUnlisted, retryEnrollment } from './enrollment-status.ts';
import { findRecords, lookAgain } from './find.ts';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  setEnabled,
  tryNow,
} from './integration.ts';
import { getHeldRecords, getWaitingFiles, retryFiles, retryHeld, skipFiles, skipHeld } from './records.ts';
import { answerRecovery, getRecovery } from './recovery.ts';
import { getWebhooks, saveWebhookSecrets } from './webhooks.ts';

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
