import * as contract from '@portal/contract/doctor';
import { NotFound } from '@portal/kit/problems';
import { examineEnvironment } from '@portal/platforms/doctor/examine-environment';
import { type Section, toPublicSection } from '@portal/platforms/doctor/report';
import { explainWeakness } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { listOutgoing } from '../../doctor/list-outgoing.ts';
import { type RoutesOf, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { getSlotKey } from '../../user-slots.ts';

/** How long the log socket of an app is watched. */
const logMs = 5_000;

export function doctorRoutes({ config, audit, locks, permissions }: Dependencies): RoutesOf<typeof contract> {
  const examine = async ({ environment: { name }, credentials }: Caller) => {
    const environment = config.environments.find((each) => each.name === name);
    if (!environment) throw new NotFound(`There is no environment ${name}.`);
    const { sections, suggestion, isGood } = await examineEnvironment({
      name,
      platform: {
        baseUrl: environment.baseUrl,
        credentials: credentials(),
        timeoutMs: config.platformTimeoutSeconds * 1_000,
      },
      dialect: environment.helium,
      dataSources: environment.dataSources.map(({ heliumDataSourceName, url, grantUrl }) => ({
        name: heliumDataSourceName,
        url: url.reveal(),
        grantUrl: grantUrl?.reveal(),
        teams: environment.teamUsers,
      })),
      outgoing: listOutgoing(config, environment.baseUrl),
      fileHosts: config.sync.fileHosts,
      logMs,
    });
    // The portal works without that protection.
    const all = [...sections, { title: 'Audit trail', lines: [await explainProtection(audit)], isGood: true }];
    // Without roles, every user may ask, and none is known to be an operator.
    const shown: readonly Section[] = permissions.hasRoles ? all : sections.map(toPublicSection);
    return {
      examinations: shown.map(({ title, lines, isGood }) => ({ title, lines: [...lines], isGood })),
      suggestion: suggestion.join('\n'),
      isGood,
    };
  };

  return {
    // An examination sends calls to the platform for seconds, so each user runs one at a time.
    examineEnvironment: route(contract.examineEnvironment, ({ caller }) =>
      locks.runUnlessHeld(
        `doctor ${getSlotKey(caller)}`,
        `Your examination of ${caller.environment.name} is still running. Try again when it is complete.`,
        () => examine(caller),
      ),
    ),
  };
}

async function explainProtection(audit: Dependencies['audit']): Promise<string> {
  return (await audit.isProtected()) ? 'The database lets the portal only add entries.' : explainWeakness;
}
