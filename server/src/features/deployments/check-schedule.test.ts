import { getForeignUrlSentence, wizardSentences as sentences } from '@portal/contract/deployments-rules';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProblem } from '../../testing/test-client.ts';
import { type DeploymentsWorld, type ScheduleRequest, startDeploymentsWorld } from './deployments.fixture.ts';

let world: DeploymentsWorld;
let client: DeploymentsWorld['client'];
let request: DeploymentsWorld['request'];
let merge: DeploymentsWorld['merge'];
let resolve: DeploymentsWorld['resolve'];

beforeAll(async () => {
  world = await startDeploymentsWorld();
  ({ client, request, merge, resolve } = world);
});
afterAll(() => world.stop());

describe('invalid schedules', () => {
  const tag = 'https://bitbucket.example.com/clinic/commits/tag/';

  it.each<[string, string, Partial<ScheduleRequest>]>([
    ['dataSource', sentences.dataSource, { dataSource: '' }],
    ['team', sentences.team, { team: '' }],
    ['jiraProject', sentences.jiraProject, { jiraProject: '' }],
    ['appIds', sentences.apps, { appIds: [] }],
    [
      'releaseTag',
      getForeignUrlSentence('https://bitbucket.example.com/'),
      { releaseTag: `https://evil.example.com/${tag}v1` },
    ],
    [
      'releaseTag',
      getForeignUrlSentence('https://bitbucket.example.com/'),
      { releaseTag: 'https://bitbucket.example.com.evil.example/commits/tag/v1' },
    ],
    ['releaseTag', sentences.withoutTag, { releaseTag: 'https://bitbucket.example.com/clinic/commits/v1' }],
    ['releaseTag', sentences.withoutTag, { releaseTag: tag }],
    ['releaseName', sentences.releaseName, { releaseName: '  ' }],
    ['releaseGroup', sentences.releaseGroup, { releaseGroup: '' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: '' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: 'tomorrow' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: '+020000-01-03T00:00:00Z' }],
    // A Friday in Greenwich that is already Saturday in Johannesburg, and a Monday there that is
    // still Sunday in Greenwich.
    ['deploymentDate', sentences.weekend, { deploymentDate: '2030-12-06T22:00:00Z' }],
    ['deploymentDate', sentences.past, { deploymentDate: '2024-06-02T22:00:00Z' }],
    ['dataSource', 'There is no data source nowhere in Production.', { dataSource: 'nowhere' }],
    ['team', 'There is no team Unknown.', { team: 'Unknown' }],
    ['jiraProject', 'The team Farm has no JIRA project VISIT.', { team: 'Farm' }],
    ['appIds', /^You have no app 123 in helium-app-\d\.$/.source, { appIds: ['123'] }],
  ])('rejects %s: %s', async (field, sentence, part) => {
    const response = await merge('null', { ...request, ...part });
    expect(response.status).toBe(400);
    const { message, fields } = parseProblem(response);
    if (sentence.startsWith('^')) expect(message).toMatch(new RegExp(sentence));
    else expect(message).toBe(sentence);
    expect(fields).toEqual({ [field]: message });
  });

  it('rejects an app of another data source or another user', async () => {
    const stock = world.helium.app('Stock Room');
    expect(stock.dataSource.heliumDataSourceName).not.toBe(request.dataSource);
    const elsewhere = await merge('null', { ...request, appIds: [...request.appIds, stock.id] });
    expect(parseProblem(elsewhere).message).toBe(`You have no app ${stock.id} in ${request.dataSource}.`);
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect((await merge('null', request, farmer)).status).toBe(400);
  });

  it("rejects another user's name, another status, and an unknown schedule", async () => {
    expect((await merge('null', { ...request, portalUser: 'boss' })).status).toBe(403);
    expect((await merge('null', { ...request, status: 'DONE' })).status).toBe(400);
    for (const id of ['999999', 'undefined', '1e3', '99999999999999999999', '%27']) {
      expect((await merge(id, request)).status).toBe(404);
      expect((await resolve(id)).status).toBe(404);
      expect((await client.send('GET', `/portal-backend/api/deployment/history/${id}`)).status).toBe(404);
    }
  });
});
