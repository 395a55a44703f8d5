import * as contract from '@portal/contract/doctor';
import { NotFound } from '@portal/kit/problems';
import { examineEnvironment } from '@portal/platforms/doctor/examine-environment';
import { explainWeakness } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';

/** How long the log socket of an app is watched. */
const logMs = 2_000;

export function doctorRoutes({ config, audit }: Dependencies): RoutesOf<typeof contract> {
  return {
    examineEnvironment: route(contract.examineEnvironment, async ({ caller }) => {
      const { name } = caller.environment;
      const environment = config.environments.find((each) => each.name === name);
      if (!environment) throw new NotFound(`There is no environment ${name}.`);
      const { sections, suggestion, isGood } = await examineEnvironment({
        name,
        platform: {
          baseUrl: environment.baseUrl,
          credentials: caller.credentials(),
          timeoutMs: config.platformTimeoutSeconds * 1_000,
        },
        dialect: environment.helium,
        dataSources: environment.dataSources.map(({ heliumDataSourceName, url }) => ({
          name: heliumDataSourceName,
          url: url.reveal(),
        })),
        logMs,
      });
      return {
        examinations: [
          ...sections.map(({ title, lines, isGood }) => ({ title, lines: [...lines], isGood })),
          // The portal works without that protection.
          { title: 'Audit trail', lines: [await explainProtection(audit)], isGood: true },
        ],
        suggestion: suggestion.join('\n'),
        isGood,
      };
    }),
  };
}

async function explainProtection(audit: Dependencies['audit']): Promise<string> {
  return (await audit.isProtected()) ? 'The database lets the portal only add entries.' : explainWeakness;
}
