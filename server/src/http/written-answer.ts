import { Readable } from 'node:stream';

/** Enough to be worth a piece of its own, few enough that nobody else waits for it. */
const rowsPerPiece = 250;

/**
 * A list of many megabytes, written while it is sent, by the engine's own JSON: it takes half the time of the contract's,
 * which leaves out what it does not name. So only for rows that are made field by field.
 */
export class WrittenAnswer<T> {
  readonly rows: T & readonly unknown[];

  constructor(rows: T & readonly unknown[]) {
    this.rows = rows;
  }

  stream(): Readable {
    return Readable.from(piecesOf(this.rows), { objectMode: false });
  }
}

function* piecesOf(rows: readonly unknown[]): Generator<Buffer> {
  let before = '[';
  for (let at = 0; at < rows.length; at += rowsPerPiece) {
    const json = JSON.stringify(rows.slice(at, at + rowsPerPiece));
    yield Buffer.from(before + json.slice(1, -1));
    before = ',';
  }
  yield Buffer.from(rows.length === 0 ? '[]' : ']');
}
