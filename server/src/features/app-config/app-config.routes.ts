import * as contract from '@portal/contract/app-config';
import { Conflict, Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Dependencies } from '../../dependencies.ts';
import { reportSkipped } from '../../http/report-skipped.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import { AppConfigs, type ToggleFunction } from './app-configs.ts';
import type { ChangedSettings } from './changed-settings.ts';

const { fixedMessages } = contract;

/** `toggleFunction` belongs to another feature, whose changes Undo reverts as well. */
export function appConfigRoutes(dependencies: Dependencies, toggleFunction: ToggleFunction): RoutesOf<typeof contract> {
  const configs = new AppConfigs(dependencies, toggleFunction);
  const locked = { lock: 'config' };
  return {
    getConfig: route(contract.getConfig, async ({ caller, app, request, reply, signal }) => {
      const options = { fresh: wantsFresh(request), signal };
      const { config, skipped } = await configs.read(caller, app, options);
      reportSkipped(reply, skipped);
      return config;
    }),

    addEntryPoint: route(
      contract.addEntryPoint,
      ({ input: { entryPoint, duration, expected }, ...call }) => {
        const key = requireEntryPoint(entryPoint, duration);
        return configs.change(call, {
          after: timeouts({ [key]: duration }),
          expected: expected === undefined ? undefined : timeouts({ [key]: expected }),
        });
      },
      locked,
    ),

    removeEntryPoint: route(
      contract.removeEntryPoint,
      ({ input: { entryPoint, expected }, ...call }) =>
        configs.change(call, {
          after: timeouts({ [entryPoint]: null }),
          expected: expected === undefined ? undefined : timeouts({ [entryPoint]: expected }),
        }),
      locked,
    ),

    updateEntryPoint: route(
      contract.updateEntryPoint,
      ({ input: { oldEntryPoint: old, entryPoint, duration, expected }, ...call }) => {
        const key = requireEntryPoint(entryPoint, duration);
        return configs.change(call, {
          after: timeouts({ [old]: null, [key]: duration }),
          expected: expected === undefined ? undefined : timeouts({ [old]: expected }),
          check({ processEntryPointTimeouts: now }) {
            if (!Object.hasOwn(now, old)) throw new Conflict(`The entry point ${shortenValue(old)} no longer exists.`);
            if (key !== old && now[key] !== undefined)
              throw new Conflict(`The entry point ${shortenValue(key)} already exists, with ${now[key]} min.`);
          },
        });
      },
      locked,
    ),

    setMaxDbResults: route(
      contract.setMaxDbResults,
      ({ input: { maxDatabaseResults, expected }, ...call }) =>
        configs.change(call, {
          after: { maxDatabaseResults },
          expected: expected === undefined ? undefined : { maxDatabaseResults: expected },
        }),
      locked,
    ),

    disableApp: route(
      contract.disableApp,
      ({ input: { disabled, expected }, ...call }) =>
        configs.change(call, {
          after: { disabled, disabledMessage: disabled ? fixedMessages.disabled : null },
          expected: expected === undefined ? undefined : { disabled: expected },
        }),
      locked,
    ),

    lockApp: route(
      contract.lockApp,
      ({ input: { locked: isLocked, expected }, ...call }) =>
        configs.change(call, {
          after: { locked: isLocked, lockedMessage: isLocked ? fixedMessages.locked : null },
          expected: expected === undefined ? undefined : { locked: expected },
        }),
      locked,
    ),

    undoConfigChange: route(contract.undoConfigChange, (call) => configs.undo(call), locked),
  };
}

function timeouts(minutesByEntryPoint: Record<string, number | null>): ChangedSettings {
  return { processEntryPointTimeouts: minutesByEntryPoint };
}

/** Returns the key "scope:name", trimmed. Throws Invalid with the specified message. */
function requireEntryPoint(entryPoint: string, timeoutMins: number): string {
  const { scope, name } = contract.parseEntryPoint(entryPoint);
  const error = contract.findEntryPointError({ scope, name, timeoutMins });
  if (error) throw new Invalid(error);
  return contract.formatEntryPoint({ scope, name });
}
