import { invalidRequest } from './api-problem.ts';
import type { Deployment } from './deployment.ts';
import { type DeploymentCopy, restoreCopy, takeCopy } from './deployment-copy.ts';
import type { DeviceActivity } from './device-activity.ts';
import { createEnrollmentCode } from './legacy-enrollment.ts';
import { countWrites, dropOldest } from './op-log.ts';
import type { Operation } from './operations.ts';
import { SchemaError } from './schema-xml.ts';
import { type DeviceDescription, enroll } from './sessions.ts';
import type { Webhooks } from './webhooks.ts';
import { write } from './write-path.ts';
import type { Outcome } from './write-plan.ts';

/** Gives the code that started a deployment control over it. */
export interface DeploymentHandle {
  /** 24 hexadecimal digits. */
  readonly id: string;
  /** The base URL with the id, without a trailing slash. */
  readonly url: string;
  /** Equals the id. */
  readonly userName: string;
  /** The current password. */
  readonly password: string;
  setPassword(password: string): void;
  setRateLimit: Deployment['setRateLimit'];
  setMultiDevice: Deployment['setMultiDevice'];
  setDeviceEdits: Deployment['setDeviceEdits'];
  setListsDeletedUsers: Deployment['setListsDeletedUsers'];
  setUploadState: Deployment['setUploadState'];
  setClockSkew: Deployment['setClockSkew'];
  webhooks: Webhooks['list'];
  /** Sets up a webhook as an administrator would. At first, none is enabled or has a URL. */
  setWebhook: Webhooks['set'];
  readonly webhookFaults: Webhooks['faults'];
  /** Deploys another data model. Throws INVALID_API_REQUEST with every error when it is invalid. */
  deploy(schemaXml: string): Promise<{ readonly hash: string; readonly warnings: readonly string[] }>;
  /** Drops all but the last `keep` entries of the op-log and returns how many were dropped. */
  dropOpLog(retention: { readonly keep: number }): Promise<number>;
  /** Copies all objects and the op-log. */
  takeCopy(): Promise<DeploymentCopy>;
  /** Restores them, and the number of the last op-log entry, in one transaction. */
  restoreCopy(copy: DeploymentCopy): Promise<void>;
  /** The number of effective writes in the op-log, by origin. */
  writes(): Promise<{ readonly api: number; readonly device: number }>;
  readonly device: Device;
}

interface Device {
  /** Applies operations in order, as one save of one device. */
  edit(...operations: Operation[]): Promise<readonly Outcome[]>;
  /** Plays the next edits of the simulated devices. */
  play: DeviceActivity['play'];
  /**
   * Signs in with an authentication token, or with the URL of a legacy user's QR code. Returns the
   * session's id.
   */
  enroll(code: string, device?: Partial<DeviceDescription>): Promise<string>;
}

const someDevice: DeviceDescription = {
  label: 'Samsung SM-T295',
  container: { version: '24.5.2', bundle_id: 'com.journeyapps.container', platform: 'ANDROID' },
  runtime: { version: '4.90.1' },
  device: { id: 'c0ffee00-0000-4000-8000-000000000001' },
  os: 'Android 11',
  model: 'SM-T295',
};

export function createHandle(
  deployment: Deployment,
  baseUrl: string,
  activity: DeviceActivity,
  webhooks: Webhooks,
): DeploymentHandle {
  return {
    id: deployment.id,
    url: `${baseUrl}/api/v4/${deployment.id}`,
    userName: deployment.id,
    get password() {
      return deployment.password();
    },
    setPassword: deployment.setPassword,
    setRateLimit: deployment.setRateLimit,
    setMultiDevice: deployment.setMultiDevice,
    setDeviceEdits: deployment.setDeviceEdits,
    setListsDeletedUsers: deployment.setListsDeletedUsers,
    setUploadState: deployment.setUploadState,
    setClockSkew: deployment.setClockSkew,
    webhooks: webhooks.list,
    setWebhook: webhooks.set,
    webhookFaults: webhooks.faults,
    async deploy(schemaXml) {
      try {
        const { hash, warnings } = await deployment.deploy(schemaXml);
        return { hash, warnings };
      } catch (error) {
        throw error instanceof SchemaError ? invalidRequest(error.message) : error;
      }
    },
    dropOpLog: ({ keep }) => dropOldest(deployment, keep),
    takeCopy: () => takeCopy(deployment),
    restoreCopy: (copy) => restoreCopy(deployment, copy),
    writes: () => countWrites(deployment),
    device: {
      edit: (...operations) => write(deployment, operations, { origin: 'device' }),
      play: activity.play,
      enroll: (code, device) => enroll(deployment, createEnrollmentCode(code), { ...someDevice, ...device }),
    },
  };
}
