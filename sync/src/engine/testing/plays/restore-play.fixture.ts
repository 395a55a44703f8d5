/**
 * Plays what people and operators do to both sides of a real integration: edits, restores, versions
 * moved back, lists that are empty for a moment, and every question answered by its default.
 *
 * What nothing can save, and is therefore not expected (`WrittenValues.retain`):
 *   - what existed only on the restored side, and only after the copy was taken
 *   - what existed only in a list of conflicts or held records that was restored or dropped with the
 *     engine's schema
 *   - fields that only Journey has, of a record that both sides create with one id while the
 *     integration is stopped: our put may replace it
 *   - what existed only in a log that expired, was cleared or was moved past: an edit that the other
 *     side overwrote while its direction was off
 * A deletion that a restore undoes may come back.
 */
import { foreignKey } from '../../../helium/helium-gateway.fixture.ts';
import { quickPolls } from '../sync-integration.fixture.ts';
import { createSyncWorld } from '../sync-world.fixture.ts';
import type { Action, Play } from './play-actions.fixture.ts';
import { PlayedContents, playSchemaXml, playTables } from './played-contents.fixture.ts';
import { PlayedEdits } from './played-edits.fixture.ts';
import { PlayedEngine } from './played-engine.fixture.ts';
import { PlayedRestores } from './played-restores.fixture.ts';

/**
 * Plays everything, lets both sides come to rest, and throws when anything is missing or differs.
 */
export async function playRestores({ setup, actions }: Play): Promise<void> {
  const world = await createSyncWorld({
    tables: playTables,
    sql: foreignKey('farmer', 'region_fk', 'region'),
    schemaXml: playSchemaXml,
    timing: quickPolls,
  });
  const contents = new PlayedContents(world);
  const engine = new PlayedEngine(world, setup, contents);
  const edits = new PlayedEdits(world, engine, contents);
  const players: Players = { engine, edits, restores: new PlayedRestores(world, setup, { engine, edits, contents }) };
  try {
    for (const action of actions) {
      engine.trace.push(`- ${JSON.stringify(action)}`);
      await play(action, players);
    }
    engine.trace.push('- at the end');
    await engine.runAs('both');
    await engine.rest();
    await engine.compare();
    await engine.rest();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error([message, '', 'What happened:', ...engine.trace].join('\n'), { cause: error });
  } finally {
    await world.stop();
  }
}

interface Players {
  readonly engine: PlayedEngine;
  readonly edits: PlayedEdits;
  readonly restores: PlayedRestores;
}

async function play(action: Action, { engine, edits, restores }: Players): Promise<void> {
  switch (action.do) {
    case 'insert':
      return edits.insert(action.side, action.table, edits.newId(action.table), action.logged);
    case 'insert on both sides':
      return edits.insertOnBothSides();
    case 'edit':
      return edits.edit(action);
    case 'refer':
      return edits.refer(action);
    case 'delete':
      return edits.delete(action.side, action.table, action.nth);
    case 'create again':
      return edits.createAgain(action.side, action.nth);
    case 'rest':
      return engine.rest();
    case 'stop':
      return engine.stop();
    case 'stop during a call':
      return engine.stopDuringCall(() => edits.writeForCall(action.nth), action);
    case 'run':
      return engine.runAs(action.mode);
    case 'compare':
      return engine.compare();
    case 'copy':
      return restores.copy(action.side);
    case 'restore Helium':
      return restores.restoreHelium(action.numbers, action.how);
    case 'restore Journey':
      return restores.restoreJourney(action.numbers);
    case 'empty list':
      return restores.emptyList(action.during);
    case 'move':
      return restores.move(action.direction, action.to);
    case 'expire':
      return restores.expireOpLog(action.keep);
    case 'clear log':
      return restores.clearChangeLog();
    case 'lose state':
      return restores.loseState();
  }
}
