import type { HeliumAppConfig, HeliumAppConfigPatch } from '@portal/platforms/helium/wire';

/** Applies an RFC 7396 merge patch and describes the effective changes in words. */
export function applyPatch(
  before: HeliumAppConfig,
  patch: HeliumAppConfigPatch,
  appName: string,
): { config: HeliumAppConfig; changes: string[] } {
  const changes: string[] = [];
  const timeouts = new Map(Object.entries(before.processEntryPointTimeouts));
  for (const [entryPoint, minutes] of Object.entries(patch.processEntryPointTimeouts ?? {})) {
    if (minutes === null) {
      if (timeouts.delete(entryPoint)) changes.push(`Removed the process timeout of ${entryPoint} for ${appName}.`);
    } else if (timeouts.get(entryPoint) !== minutes) {
      timeouts.set(entryPoint, minutes);
      changes.push(
        `Set the process timeout of ${entryPoint} to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} for ${appName}.`,
      );
    }
  }

  const config: HeliumAppConfig = {
    processEntryPointTimeouts: Object.fromEntries(timeouts),
    maxDatabaseResults: patch.maxDatabaseResults ?? before.maxDatabaseResults,
    disabled: patch.disabled ?? before.disabled,
    disabledMessage: patch.disabledMessage === undefined ? before.disabledMessage : patch.disabledMessage,
    locked: patch.locked ?? before.locked,
    lockedMessage: patch.lockedMessage === undefined ? before.lockedMessage : patch.lockedMessage,
  };
  if (config.maxDatabaseResults !== before.maxDatabaseResults) {
    changes.push(`Set the maximum database results to ${config.maxDatabaseResults} for ${appName}.`);
  }
  if (config.disabled !== before.disabled) changes.push(`${appName} is ${config.disabled ? 'disabled' : 'enabled'}.`);
  if (config.disabledMessage !== before.disabledMessage) {
    changes.push(`${config.disabledMessage === null ? 'Cleared' : 'Set'} the disabled message of ${appName}.`);
  }
  if (config.locked !== before.locked) changes.push(`${appName} is ${config.locked ? 'locked' : 'unlocked'}.`);
  if (config.lockedMessage !== before.lockedMessage) {
    changes.push(`${config.lockedMessage === null ? 'Cleared' : 'Set'} the locked message of ${appName}.`);
  }
  return { config, changes };
}
