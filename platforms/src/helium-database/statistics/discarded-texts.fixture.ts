import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '@portal/kit/postgres/pool';

// cspell:ignore pgss
const fileOfTexts = 'pg_stat_tmp/pgss_query_texts.stat';

/**
 * Damages the texts of statements in the server's file, so that the server cannot read them and
 * returns null, as it does after discarding them.
 *
 * @param url of a superuser
 * @param isDiscarded whether to damage this text. Default: all texts
 */
export async function discardTexts(url: string, isDiscarded: (text: string) => boolean = () => true): Promise<void> {
  const folder = await withClient({ connectionString: url }, async (client) => {
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    return rows[0]?.folder ?? '';
  });
  const path = join(folder, fileOfTexts);
  const texts = (await readFile(path)).toString('latin1').split('\0');
  // The server has stored only texts that a zero follows.
  const damaged = texts.slice(0, -1).map((text) => (isDiscarded(text) ? 'x'.repeat(text.length + 1) : `${text}\0`));
  await writeFile(path, Buffer.from(damaged.join('') + (texts.at(-1) ?? ''), 'latin1'));
}
