import { shortenFileName } from '../mapping/file-values.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Db, StoredFileParts } from './helium-gateway.ts';
import { qualified, quote } from './sql-names.ts';

/**
 * The companion columns of a blob: file name, media type and size. null where the table has no such
 * column.
 */
export interface BlobColumns {
  readonly fileName: string | null;
  readonly mediaType: string | null;
  readonly size: string | null;
}

/** Companion columns by `{table}/{column}`. */
export type BlobColumnsOf = ReadonlyMap<string, BlobColumns>;

const unknownMediaType = 'application/octet-stream';

export function blobKey(table: string, column: string): string {
  return `${table}/${column}`;
}

/**
 * Reads the companion columns of all blobs of these objects. Runs no query when there are no blobs.
 */
export async function readBlobColumns(db: Db, schema: string, objects: readonly ObjectMap[]): Promise<BlobColumnsOf> {
  const blobs = objects.flatMap(({ table, fields }) =>
    fields.filter(({ kind }) => kind === 'blob').map(({ column }) => ({ table, column })),
  );
  if (blobs.length === 0) return new Map();
  const { rows } = await db.query<{ key: string }>(
    `select c.relname || '/' || a.attname as key
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where n.nspname = $1 and c.relname = any($2) and a.attname like '%\\_\\_' and a.attnum > 0 and not a.attisdropped`,
    [schema, [...new Set(blobs.map(({ table }) => table))]],
  );
  const existing = new Set(rows.map(({ key }) => key));
  return new Map(
    blobs.map(({ table, column }) => {
      const companions = (suffix: string) => {
        const name = `${column}_${suffix}__`;
        return existing.has(blobKey(table, name)) ? name : null;
      };
      return [
        blobKey(table, column),
        { fileName: companions('fname'), mediaType: companions('mtype'), size: companions('size') },
      ] as const;
    }),
  );
}

/** What Helium's `varchar` columns for name and media type take. */
const maxTextLength = 255;

/** Returns what a file puts into its column and the companion columns. */
export function getBlobCells(
  column: string,
  { fileName, mediaType, size }: BlobColumns,
  blob: HeliumBlob,
): readonly (readonly [column: string, value: Buffer | string | number])[] {
  return [
    [column, blob.bytes],
    ...(fileName === null ? [] : [[fileName, shortenFileName(blob.fileName, maxTextLength)] as const]),
    ...(mediaType === null ? [] : [[mediaType, blob.mediaType.slice(0, maxTextLength)] as const]),
    ...(size === null ? [] : [[size, blob.bytes.length] as const]),
  ];
}

export async function readBlob(
  db: Db,
  schema: string,
  map: ObjectMap,
  id: string,
  column: string,
): Promise<HeliumBlob | null> {
  const companions = (await readBlobColumns(db, schema, [map])).get(blobKey(map.table, column));
  const text = (name: string | null | undefined) => (name ? quote(name) : 'null');
  const { rows } = await db.query<{ bytes: Buffer; fileName: string | null; mediaType: string | null }>(
    `select ${quote(column)} as bytes, ${text(companions?.fileName)} as "fileName", ${text(companions?.mediaType)} as "mediaType"
      from ${qualified(schema, map.table)} where _id_ = $1 and ${quote(column)} is not null`,
    [id],
  );
  const [found] = rows;
  if (!found) return null;
  return {
    bytes: found.bytes,
    fileName: found.fileName || column,
    mediaType: found.mediaType || unknownMediaType,
  };
}

const startBytes = 4_096;
const endBytes = 16;

/** Reads the starts and the ends of all files in these rows. */
export async function readFileParts(
  db: Db,
  schema: string,
  map: ObjectMap,
  ids: readonly string[],
): Promise<StoredFileParts[]> {
  const columns = await readBlobColumns(db, schema, [map]);
  const found: StoredFileParts[] = [];
  for (const { column, kind } of map.fields) {
    if (kind !== 'blob') continue;
    const { mediaType } = columns.get(blobKey(map.table, column)) ?? {};
    const { rows } = await db.query<Omit<StoredFileParts, 'column'>>(
      `select _id_::text as id, substring(${quote(column)} from 1 for ${startBytes}) as start,
          substring(${quote(column)} from greatest(1, length(${quote(column)}) - ${endBytes - 1})) as end,
          length(${quote(column)}) as size,
          coalesce(lower(${mediaType ? quote(mediaType) : 'null'}), '') as "mediaType"
        from ${qualified(schema, map.table)} where _id_ = any($1::uuid[]) and ${quote(column)} is not null`,
      [ids],
    );
    found.push(...rows.map((row) => ({ ...row, column })));
  }
  return found;
}
