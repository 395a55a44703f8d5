/**
 * Colors that stay distinguishable with every type of color blindness and have a contrast of 4.5 :
 * 1 with text in the background color. The tests verify both. Slices also show their number, so
 * color is never the only cue.
 */
export const lightSliceColors = ['#3368ff', '#8b1800', '#005362', '#c502b1', '#8b7100', '#211d5c'] as const;
export const darkSliceColors = ['#9cacff', '#ec7d2d', '#4a8b9e', '#ffb8a7', '#f5f06a', '#ad54ff'] as const;

/** A neutral gray for the slice of all others, which is not a statement. */
export const otherColor = 'light-dark(#6c7480, #9aa2ad)';

/** Lines over the color, so that slices of one color differ. */
const slicePatterns = ['plain', 'rising', 'falling', 'crossed'] as const;
export type SlicePattern = (typeof slicePatterns)[number];

/** The number of slices that all look different. */
export const lookCount = lightSliceColors.length * slicePatterns.length;

/** Returns the color of the slice with that rank (from 1), as CSS for both color schemes. */
export function getRankColor(rank: number): string {
  const at = (rank - 1) % lightSliceColors.length;
  return `light-dark(${lightSliceColors[at]}, ${darkSliceColors[at]})`;
}

/** Returns the pattern of the slice with that rank (from 1): the first six are plain. */
export function getRankPattern(rank: number): SlicePattern {
  return slicePatterns[Math.floor((rank - 1) / lightSliceColors.length) % slicePatterns.length] ?? 'plain';
}
