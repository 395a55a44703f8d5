import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import type { JourneyAttachment, JourneyEntry } from '../../journey/journey-gateway.ts';
import { toBlobValue } from '../../journey/known-attachments.ts';
import { downloadFiles } from './download-files.ts';

const megabyte = 1024 * 1024;

/** Each file has the size, in megabytes, that its id says. */
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
  const rest = file === undefined ? {} : { attachments: { photo: { id: file, url: '' } } };
  return { sequence: `${sequence}`, key, operation: 'update', fields: {}, changedAtMs: 0, ...rest };
}

async function partsOf(...entries: readonly JourneyEntry[]) {
  const parts: { sequences: string[]; files: number; isLast: boolean }[] = [];
  for await (const { part, isLast } of downloadFiles(source, entries)) {
    parts.push({ sequences: part.entries.map(({ sequence }) => sequence), files: part.blobs.size, isLast });
  }
  return parts;
}

test('a part ends when its files are 32 MB, and only the last one says so', async () => {
  expect(await partsOf(entry(1), entry(2, '33'), entry(3), entry(4, '1'))).toEqual([
    { sequences: ['1', '2'], files: 1, isLast: false },
    { sequences: ['3', '4'], files: 1, isLast: true },
  ]);
});

test('the last part is there also when it is empty', async () => {
  expect(await partsOf()).toEqual([{ sequences: [], files: 0, isLast: true }]);
  expect(await partsOf(entry(1, '33'))).toEqual([
    { sequences: ['1'], files: 1, isLast: false },
    { sequences: [], files: 0, isLast: true },
  ]);
});

test('an entry names its file by hash; a file that cannot be downloaded is the problem of its entry alone', async () => {
  const { value } = await downloadFiles(source, [entry(1, 'deleted'), entry(2, '1')]).next();
  expect(value.part.entries).toMatchObject([
    { fields: {}, problem: 'The file of photo cannot be had: It is deleted.' },
    { fields: { photo: toBlobValue(Buffer.alloc(megabyte)) } },
  ]);
});
