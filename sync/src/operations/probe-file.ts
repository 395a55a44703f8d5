import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyGateway } from '../journey/journey-gateway.ts';
import { type MappingNote, type ObjectMap, toFileType } from '../mapping/object-map.ts';

/** Among the first objects of a model, one with a file is likely. */
const maxObjects = 100;

/**
 * Downloads one file of Journey, because only then it is known which host has it. Returns a warning
 * if that fails; nothing if it succeeds or there is no file.
 */
export async function probeFile(
  journey: JourneyGateway,
  objects: readonly ObjectMap[],
  signal: AbortSignal,
): Promise<MappingNote[]> {
  for (const map of objects) {
    const fields = map.toHelium ? map.fields.filter(({ kind }) => kind === 'blob') : [];
    if (fields.length === 0) continue;
    try {
      const entries = await journey.listAfter(map, null, maxObjects, signal);
      const [file] = entries.flatMap(({ attachments = {} }) =>
        fields.flatMap((field) => {
          const { id, url } = attachments[field.column] ?? {};
          return id !== undefined && url ? [{ id, url, type: toFileType(field) }] : [];
        }),
      );
      if (!file) continue;
      await journey.fetchAttachment(file, signal);
      return [];
    } catch (error) {
      if (!(error instanceof JourneyProblem)) throw error;
      signal.throwIfAborted();
      return [{ severity: 'warning', model: map.model, reason: error.message }];
    }
  }
  return [];
}
