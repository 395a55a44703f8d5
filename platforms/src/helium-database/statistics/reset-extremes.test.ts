import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listStatements, run, startCountingServer } from './counting-server.fixture.ts';

// The minimum and maximum can be reset alone since version 17.
describe.each(findTestVersions().filter(({ major }) => major >= 17))('$name', ({ startExclusive }) => {
  it('reports minimum and maximum times that were reset as unknown until the statement runs again', async () => {
    const { url, counted, stop } = await startCountingServer(startExclusive);
    onTestFinished(stop);
    const read = async () => (await listStatements(counted, { search: 'as measured' }))[0];
    await run(url, 'select 1 as measured', 'select 2 as measured');
    expect(await read()).toMatchObject({ calls: 2, min_time: expect.any(Number), max_time: expect.any(Number) });

    await run(url, 'select pg_stat_statements_reset(0, 0, 0, true)');
    expect(await read()).toMatchObject({ calls: 2, min_time: null, max_time: null, mean_time: expect.any(Number) });

    await run(url, 'select 3 as measured');
    const after = await read();
    expect(after).toMatchObject({ calls: 3, max_time: after?.min_time });
    expect(after?.max_time).toBeGreaterThan(0);
  });
});
