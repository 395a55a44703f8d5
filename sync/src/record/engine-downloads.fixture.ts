/** Gets and writes the files that wait, in memory, as the loop of files does. */
import { toKey } from './engine-files.fixture.ts';
import type { EngineParts } from './engine-parts.fixture.ts';
import type { EngineToHelium } from './engine-to-helium.fixture.ts';
import { areFieldsEqual, createFields } from './fields.ts';
import type { WaitingFile } from './waiting-file.ts';

export class EngineDownloads {
  readonly #parts: EngineParts;
  readonly #toHelium: EngineToHelium;

  constructor(parts: EngineParts, toHelium: EngineToHelium) {
    this.#parts = parts;
    this.#toHelium = toHelium;
  }

  /** Gets each file that waits: asks for its address, downloads it and writes it. */
  fetchFiles(outcome: 'done' | 'failed' | 'killed'): void {
    const { files: engineFiles, records, nowMs } = this.#parts;
    for (const [id, files] of [...engineFiles.waiting]) {
      for (const column of [...files.keys()]) {
        const { intents } = records.get(id);
        const mayBeOwn = intents.some(({ stage, fields }) => stage === 'sent' && Object.hasOwn(fields, column));
        const file = engineFiles.get({ id, column }, { mayBeOwn, outcome, nowMs });
        if (file) this.#writeFile(id, column, file);
      }
    }
  }

  #writeFile(id: string, column: string, file: WaitingFile): void {
    const { files, records, helium, nowMs } = this.#parts;
    const state = records.get(id);
    if (state.journey === null) {
      files.remove(id, column);
      return;
    }
    if (records.held.has(id) || helium.locked.has(id)) {
      files.store(id, column, nowMs);
      return;
    }
    const { changedAtMs, journeyId, value } = file;
    const fields = Object.assign(createFields(), state.journey, { [column]: value });
    const entry = { sequence: '0', key: toKey(id), operation: 'update' as const, fields, changedAtMs };
    const merged = helium.merge(this.#toHelium.toRecord(entry), nowMs);
    const isChanged = !areFieldsEqual(merged.rowAfter?.fields ?? null, merged.row?.fields ?? null);
    if (merged.row === null || (isChanged && this.#parts.rejects(merged.rowAfter?.fields ?? null))) {
      files.store(id, column, nowMs);
      return;
    }
    this.#toHelium.finish(merged);
    files.remember(journeyId, value);
    files.remove(id, column);
    // While it waited, Helium's own file was not sent.
    records.markDirty(id);
  }
}
