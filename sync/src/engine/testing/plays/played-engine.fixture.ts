/**
 * The engine of a play: it is started, stopped and restarted as in the service, it comes to rest,
 * and every question and halt is answered as the product advises.
 */
import type { SyncConfig } from '@portal/contract/sync/config';
import { getAnswers } from '@portal/contract/sync/recovery';
import { vi } from 'vitest';
import type { RunResult } from '../../../integration/run-host.ts';
import { requestComparison, saveCursor } from '../../../sync-state/operations.store.ts';
import { readQuestion, saveAnswer } from '../../../sync-state/questions.store.ts';
import type { RestartingRun } from '../restarting-run.fixture.ts';
import type { SyncWorld } from '../sync-world.fixture.ts';
import { intentsUnderWay } from '../world-rows.fixture.ts';
import type { Action, Mode, Setup } from './play-actions.fixture.ts';
import type { PlayedContents } from './played-contents.fixture.ts';

/** How often the op-log is polled again before both sides count as at rest. */
const restPolls = 2;
const wait = { timeout: 60_000, interval: 10 };
/** More questions and halts in a row than any single act can cause. */
const maxHalts = 12;

interface CurrentRun {
  readonly run: RestartingRun;
  result: RunResult | undefined;
}

/** Returns the version that a halt advises to use. */
function findAdvisedVersion(text: string): string | undefined {
  if (/or 0 to read everything/.test(text)) return '0';
  return /(?:Continue from(?: version)?|Use) (\d+)/.exec(text)?.[1];
}

export class PlayedEngine {
  /** What happened, for the message of a failure. */
  readonly trace: string[] = [];
  readonly #world: SyncWorld;
  readonly #setup: Setup;
  readonly #contents: PlayedContents;
  #mode: Mode;
  #run: CurrentRun | undefined;
  #given: { readonly changeLog: string; readonly opLog: string } | undefined;
  #isAtRest = false;
  #configVersion = 1;
  #wasStarted = false;

  constructor(world: SyncWorld, setup: Setup, contents: PlayedContents) {
    this.#world = world;
    this.#setup = setup;
    this.#contents = contents;
    this.#mode = setup.mode;
  }

  get mode(): Mode {
    return this.#mode;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  get wasStarted(): boolean {
    return this.#wasStarted;
  }

  /**
   * Whether nothing was written or read since it was at rest, except by people while it is stopped.
   */
  get isAtRest(): boolean {
    return this.#isAtRest;
  }

  notAtRest(): void {
    this.#isAtRest = false;
  }

  start(): RestartingRun {
    const { changeLog, opLog } = this.#given ?? { changeLog: '0', opLog: '0' };
    const change = (config: SyncConfig): SyncConfig => ({
      ...config,
      conflictPolicy: this.#setup.policy,
      enableHeliumToJourney: this.#mode !== 'to Helium',
      enableJourneyToHelium: this.#mode !== 'to Journey',
      heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
      journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
    });
    const run = this.#world.startWithRestarts(change, this.#configVersion);
    const started: CurrentRun = { run, result: undefined };
    run.ended.then(
      (result) => {
        started.result = result;
      },
      // It fails only after it was stopped.
      () => undefined,
    );
    this.#run = started;
    this.#wasStarted = true;
    this.#isAtRest = false;
    return run;
  }

  async stop(): Promise<void> {
    await this.#run?.run.stop();
    this.#run = undefined;
  }

  /**
   * Stops after edits of Helium, while Journey has not answered the call that sends them.
   *
   * @param write returns a new region that the call sends
   */
  async stopDuringCall(
    write: () => Promise<string>,
    { isReceived }: Extract<Action, { do: 'stop during a call' }>,
  ): Promise<void> {
    // Otherwise no echo is expected, and no call is noted.
    if (!this.#run || this.#mode !== 'both') return;
    const current = this.#run;
    const { faults } = this.#world.journey;
    faults.set({ mode: isReceived ? 'drop' : 'hang', path: 'batch' });
    const id = await write();
    current.run.wake();
    const isWritten = () => (isReceived ? this.#isInJourney(id) : this.#hasOpenCall());
    await vi.waitUntil(async () => current.result || (await isWritten()), wait);
    await this.stop();
    faults.clear();
  }

  async #hasOpenCall(): Promise<boolean> {
    const { rows } = await this.#world
      .sql(`select from __portal_sync__.run where open_calls <> '{}'`)
      .catch(() => ({ rows: [] }));
    return rows.length > 0;
  }

  async #isInJourney(id: string): Promise<boolean> {
    return `region/${id}` in (await this.#contents.read()).journey;
  }

  async runAs(mode: Mode): Promise<void> {
    await this.#findGivenVersions();
    if (this.#run && mode === this.#mode) return;
    await this.stop();
    // Changing the directions is a save.
    if (mode !== this.#mode) this.#configVersion += 1;
    this.#mode = mode;
    this.start();
  }

  async #findGivenVersions(): Promise<void> {
    const { from } = this.#setup;
    if (this.#given || from === 'zero') return;
    const changeLog = from === 'given' ? await this.readChangeLogHead() : '0';
    this.#given = { changeLog, opLog: (await this.#world.deployment.takeCopy()).lastSequence };
  }

  /**
   * Lets the engine run until it has nothing to do; follows the advice of every halt. Then checks.
   */
  async rest(): Promise<void> {
    await this.#findGivenVersions();
    const remedies = this.#mode === 'both' ? ['save', 'compare'] : [];
    for (let halts = 0; halts < maxHalts; ) {
      if (!this.#run) this.start();
      const result = await this.#settle();
      if (result !== 'at rest') {
        halts += 1;
        await this.#follow(result);
        continue;
      }
      const differences = this.#mode === 'both' ? await this.#contents.findDifferences() : [];
      if (differences.length === 0) {
        this.#isAtRest = true;
        return this.#contents.check();
      }
      const remedy = remedies.shift();
      if (remedy === undefined) throw new Error(['Both sides differ at rest.', ...differences].join('\n'));
      if (remedy === 'save') await this.#savePaused();
      else await this.compare();
    }
    throw new Error('It keeps halting.');
  }

  /** Waits until nothing is left to do, or the run ends, which it returns. */
  async #settle(): Promise<'at rest' | RunResult> {
    const current = this.#run;
    if (!current) return 'at rest';
    let polls = 0;
    let lastPingedMs = this.#world.figures().lastPingedMs;
    current.run.wake();
    const settled = vi.waitUntil(async () => {
      if (current.result) return true;
      const { lastPingedMs: pingedMs } = this.#world.figures();
      if (pingedMs === lastPingedMs) return false;
      lastPingedMs = pingedMs;
      polls = (await this.#hasNothingToDo()) ? polls + 1 : 0;
      current.run.wake();
      return polls > restPolls;
    }, wait);
    await settled.catch(async (error) => {
      throw new Error(`It does not come to rest: ${await this.#describe()}`, { cause: error });
    });
    return current.result ?? 'at rest';
  }

  async #hasNothingToDo(): Promise<boolean> {
    const [isToJourney, isToHelium] = [this.#mode !== 'to Helium', this.#mode !== 'to Journey'];
    const { rows } = await this.#world
      .sql(
        `select
           (not $1 or snapshot_to_journey is null
             and change_log_cursor = (select coalesce(max(seq), change_log_cursor) from $s.__he_sync_obj_change__)
             and not exists (select from __portal_sync__.dirty) and not exists (select from ${intentsUnderWay}))
           and (not $2 or snapshot_to_helium is null) and comparison_requested_at is null as "isDone",
           op_log_cursor::text as "opLogCursor"
         from __portal_sync__.run`,
        [isToJourney, isToHelium],
      )
      .catch(() => ({ rows: [] }));
    if (!rows[0]?.isDone) return false;
    const { opLog } = await this.#world.deployment.takeCopy();
    const sequences: { sequence: number }[] = JSON.parse(opLog);
    const last = Math.max(0, ...sequences.map(({ sequence }) => sequence));
    return !isToHelium || last === 0 || last === Number(rows[0].opLogCursor);
  }

  /** Does what the halt advises: gives the default answer, or continues from version 0. */
  async #follow(ended: RunResult): Promise<void> {
    this.#run = undefined;
    const { pool } = this.#world.helium;
    const text = ended.outcome === 'halted' ? ended.reason : 'stopped';
    this.trace.push(`    halted: ${text}`);
    const stateId = await this.readStateId();
    const asked = await readQuestion(pool, stateId);
    if (asked?.answer === null) {
      const [answer = 'keep-both'] = getAnswers(asked.question);
      this.trace.push(`    answered: ${answer} to ${JSON.stringify(asked.question)}`);
      await saveAnswer(pool, stateId, { questionId: asked.question.id, answer, fence: this.#world.nextFence() });
      return;
    }
    const version = findAdvisedVersion(text);
    if (version !== undefined) {
      const direction = /op-log/.test(text) ? 'journey-to-helium' : 'helium-to-journey';
      this.trace.push(`    continued from version ${version}, ${direction}`);
      await saveCursor(pool, stateId, { fence: this.#world.nextFence(), direction, version });
    } else throw new Error(`It halts without advice: ${text}`);
  }

  /** Saves the integration when its log says that a table waits for that. */
  async #savePaused(): Promise<void> {
    if (!this.#world.log.some((line) => /until its integration is saved/.test(line))) return;
    this.trace.push('    saved');
    this.#configVersion += 1;
    await this.stop();
  }

  /** Compares both sides, as is done every day. A halt is left for the next rest. */
  async compare(): Promise<void> {
    if (!this.#run) this.start();
    const current = this.#run;
    if ((await this.#settle()) !== 'at rest') return;
    const before = await this.#countComparisons();
    await requestComparison(this.#world.helium.pool, await this.readStateId());
    current?.run.wake();
    this.trace.push('    compared');
    await vi.waitUntil(async () => current?.result || (await this.#countComparisons()) === before + 2, wait);
  }

  async #countComparisons(): Promise<number> {
    const { rows } = await this.#world.sql('select count(*)::int as count from __portal_sync__.comparison');
    return rows[0]?.count ?? 0;
  }

  /** Waits until the engine has noticed that the tables are gone. */
  async waitUntilNoticed(): Promise<void> {
    const { log } = this.#world;
    const current = this.#run;
    const seen = log.length;
    if (!current) return;
    await vi.waitUntil(
      () =>
        current.result ||
        current.run.interruptions.length > 0 ||
        log.slice(seen).some((line) => !line.startsWith('INFO')),
      wait,
    );
  }

  /** Waits only until Journey's objects are read: nothing comes to rest while the list is wrong. */
  async readInFull(): Promise<void> {
    const { log } = this.#world;
    const seen = log.length;
    this.start();
    const current = this.#run;
    const isRead = () => log.slice(seen).some((line) => /Journey → Helium: full read complete/.test(line));
    await vi.waitUntil(() => current?.result || isRead(), wait);
  }

  async readChangeLogHead(): Promise<string> {
    const { rows } = await this.#world.sql('select coalesce(max(seq), 0)::text as head from $s.__he_sync_obj_change__');
    return rows[0].head;
  }

  async readStateId(): Promise<number> {
    const { rows } = await this.#world.sql('select state_id from __portal_sync__.run');
    return rows[0].state_id;
  }

  async #describe(): Promise<string> {
    const read = async (sql: string) => {
      const { rows } = await this.#world.sql(sql).catch((error) => ({ rows: [{ error: String(error) }] }));
      return rows;
    };
    const { interruptions } = this.#run?.run ?? { interruptions: [] };
    const { opLog } = await this.#world.deployment.takeCopy();
    return JSON.stringify({
      run: (await read('select * from __portal_sync__.run')).map((row) => ({ ...row, mapping: undefined })),
      dirty: await read('select table_name, id from __portal_sync__.dirty'),
      intents: await read('select * from __portal_sync__.intent'),
      records: await read('select * from __portal_sync__.record'),
      changeLog: await read('select * from $s.__he_sync_obj_change__'),
      sessions: await read(
        `select state, wait_event_type, wait_event, left(query, 200) as query from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      ),
      opLog,
      interruptions: interruptions.slice(-2),
      figures: this.#world.figures(),
      log: this.#world.log.slice(-6),
      nowMs: Date.now(),
    });
  }
}
