/** Photos as tests send them to Journey and recognize them in either database. */
import { createHash } from 'node:crypto';
import type { SyncWorld } from './sync-world.fixture.ts';

export const computeHash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export const toUpload = (bytes: Buffer, filename = 'field.jpg') => ({ base64: bytes.toString('base64'), filename });

/** Uploads a file that a record has announced. No entry of the op-log reports it. */
export async function finishUpload(
  { journeySql, deployment }: Pick<SyncWorld, 'journeySql' | 'deployment'>,
  photoId: string,
  photo: Buffer,
): Promise<void> {
  await journeySql(
    `insert into attachment (deployment, id, file_name, content)
     select key, $1, 'field.jpg', $2 from deployment where id = $3`,
    [photoId, photo, deployment.id],
  );
}
