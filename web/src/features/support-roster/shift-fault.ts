/** A shift as it is written down; instants are null where what was written is none. */
export interface ShiftDraft {
  readonly name: string;
  readonly start: string | null;
  readonly end: string | null;
}

/** The first thing wrong with a shift, in words, and the field it is in; null when nothing is. */
export function findShiftFault({
  name,
  start,
  end,
}: ShiftDraft): { field: 'name' | 'start' | 'end'; text: string } | null {
  if (name.trim() === '') return { field: 'name', text: 'Please enter a name' };
  if (start === null) return { field: 'start', text: 'Please enter when the shift begins' };
  if (end === null) return { field: 'end', text: 'Please enter when the shift ends' };
  return Date.parse(end) > Date.parse(start) ? null : { field: 'end', text: 'The shift must end after it begins' };
}
