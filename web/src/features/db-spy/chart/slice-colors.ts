/**
 * Any two of them stay apart for every kind of colour blindness, and on each the paper's colour can
 * be read (4.5 : 1); the tests say so. The number in the slice tells which is which all the same.
 */
export const lightSliceColors = ['#3368ff', '#8b1800', '#005362', '#c502b1', '#8b7100', '#211d5c'] as const;
export const darkSliceColors = ['#9cacff', '#ec7d2d', '#4a8b9e', '#ffb8a7', '#f5f06a', '#ad54ff'] as const;

/** The slice of all others is no statement, and looks like none. */
export const otherColor = 'light-dark(#6c7480, #9aa2ad)';

/** The colour of the slice with that rank (from 1), as CSS that follows the scheme. */
export function getRankColor(rank: number): string {
  const at = (rank - 1) % lightSliceColors.length;
  return `light-dark(${lightSliceColors[at]}, ${darkSliceColors[at]})`;
}
