import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import type { JourneyAttachment, JourneyEntry } from '../../journey/journey-gateway.ts';
import { toBlobValue } from '../../journey/known-attachments.ts';
import { downloadFiles } from './download-files.ts';

const megabyte = 1024 * 1024;

/** The size of each file, in megabytes, is in its id. */
const source = {
  signal: new AbortController().signal,
  journey: {
    async fetchAttachment({ id }: JourneyAttachment) {
      if (id === 'deleted') throw new JourneyProblem('It is deleted.', { kind: 'not-found', type: 'not_found' });
      return { bytes: Buffer.alloc(Number(id) * megabyte), fileName: 'f', mediaType: 'image/jpeg' };
    },
  },
};

function entry(sequence: number, file?: string): JourneyEntry {
  const key = { table: 'visit', id: `${sequence}` };
  const rest =
    file === undefined ? {} : { attachments: { photo: { id: file, url: '', type: { kind: 'photo' as const } } } };
  return { sequence: `${sequence}`, key, operation: 'update', fields: {}, changedAtMs: 0, ...rest };
}

async function downloadParts(...entries: readonly JourneyEntry[]) {
  const parts: { sequences: string[]; files: number; isLast: boolean }[] = [];
  for await (const { part, isLast } of downloadFiles(source, entries)) {
    parts.push({ sequences: part.entries.map(({ sequence }) => sequence), files: part.blobs.size, isLast });
  }
  return parts;
}

test('ends a part when its files reach 32 MB, and marks only the last part as the last', async () => {
  expect(await downloadParts(entry(1), entry(2, '33'), entry(3), entry(4, '1'))).toEqual([
    { sequences: ['1', '2'], files: 1, isLast: false },
    { sequences: ['3', '4'], files: 1, isLast: true },
  ]);
});

test('yields the last part even when it is empty', async () => {
  expect(await downloadParts()).toEqual([{ sequences: [], files: 0, isLast: true }]);
  expect(await downloadParts(entry(1, '33'))).toEqual([
    { sequences: ['1'], files: 1, isLast: false },
    { sequences: [], files: 0, isLast: true },
  ]);
});

test("names an entry's file by its hash, and reports a failed download as a problem of its entry only", async () => {
  const { value } = await downloadFiles(source, [entry(1, 'deleted'), entry(2, '1')]).next();
  expect(value.part.entries).toMatchObject([
    { fields: {}, problem: 'The file of photo cannot be downloaded: It is deleted.' },
    { fields: { photo: toBlobValue(Buffer.alloc(megabyte)) } },
  ]);
});
