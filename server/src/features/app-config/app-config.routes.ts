import * as contract from '@portal/contract/app-config';
import { Conflict, Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Dependencies } from '../../dependencies.ts';
import { reportSkipped } from '../../http/report-skipped.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import { wantsFresh } from '../../http/wants-fresh.ts';
import { AppConfigs } from './app-configs.ts';
import type { ChangedSettings } from './changed-settings.ts';

const { fixedMessages } = contract;

export function appConfigRoutes(dependencies: Dependencies): RoutesOf<typeof contract> {
  const configs = new AppConfigs(dependencies);
  return {
    getConfig: route(contract.getConfig, async ({ caller, input, request, reply, signal }) => {
      const options = { fresh: wantsFresh(request), signal };
      const { config, skipped } = await configs.read(caller, input.appId, options);
      reportSkipped(reply, skipped);
      return config;
    }),

    addEntryPoint: route(contract.addEntryPoint, ({ caller, input }) => {
      const key = requireEntryPoint(input.entryPoint, input.duration);
      return configs.change(caller, input.appId, {
        action: 'config.add-entry-point',
        after: timeouts({ [key]: input.duration }),
        expected: input.expected === undefined ? undefined : timeouts({ [key]: input.expected }),
      });
    }),

    removeEntryPoint: route(contract.removeEntryPoint, ({ caller, input: { appId, entryPoint, expected } }) =>
      configs.change(caller, appId, {
        action: 'config.remove-entry-point',
        after: timeouts({ [entryPoint]: null }),
        expected: expected === undefined ? undefined : timeouts({ [entryPoint]: expected }),
      }),
    ),

    updateEntryPoint: route(contract.updateEntryPoint, ({ caller, input }) => {
      const { oldEntryPoint: old, duration } = input;
      const key = requireEntryPoint(input.entryPoint, duration);
      return configs.change(caller, input.appId, {
        action: 'config.update-entry-point',
        after: timeouts({ [old]: null, [key]: duration }),
        expected: input.expected === undefined ? undefined : timeouts({ [old]: input.expected }),
        check({ processEntryPointTimeouts: now }) {
          if (!Object.hasOwn(now, old)) throw new Conflict(`The entry point ${shortenValue(old)} no longer exists.`);
          if (key !== old && now[key] !== undefined)
            throw new Conflict(`The entry point ${shortenValue(key)} already exists, with ${now[key]} min.`);
        },
      });
    }),

    setMaxDbResults: route(contract.setMaxDbResults, ({ caller, input: { appId, maxDatabaseResults, expected } }) =>
      configs.change(caller, appId, {
        action: 'config.set-max-db-results',
        after: { maxDatabaseResults },
        expected: expected === undefined ? undefined : { maxDatabaseResults: expected },
      }),
    ),

    disableApp: route(contract.disableApp, ({ caller, input: { appId, disabled, expected } }) =>
      configs.change(caller, appId, {
        action: 'config.disable-app',
        after: { disabled, disabledMessage: disabled ? fixedMessages.disabled : null },
        expected: expected === undefined ? undefined : { disabled: expected },
      }),
    ),

    lockApp: route(contract.lockApp, ({ caller, input: { appId, locked, expected } }) =>
      configs.change(caller, appId, {
        action: 'config.lock-app',
        after: { locked, lockedMessage: locked ? fixedMessages.locked : null },
        expected: expected === undefined ? undefined : { locked: expected },
      }),
    ),

    undoConfigChange: route(contract.undoConfigChange, ({ caller, input }) => configs.undo(caller, input.appId)),
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
