import { describe, expect, test } from 'vitest';
import { maxSlices } from './pie-slices.ts';
import { darkSliceColors, getRankColor, getRankPattern, lightSliceColors } from './slice-colors.ts';

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/**
 * Color perception per type of vision, as a matrix over linear RGB (Machado, Oliveira and
 * Fernandes, 2009).
 */
const visionTypes: Readonly<Record<string, Matrix>> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

describe.each([
  ['light', lightSliceColors, '#ffffff'],
  ['dark', darkSliceColors, '#16181c'],
] as const)('%s slice colors', (_, colors, paper) => {
  test('contrast with the background color enough to read text', () => {
    for (const color of colors) expect(contrast(color, paper), color).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.entries(visionTypes))('are distinguishable from each other: %s', (_, vision) => {
    for (const a of colors) {
      for (const b of colors) if (a !== b) expect(distance(a, b, vision), `${a} ${b}`).toBeGreaterThan(0.1);
    }
  });
});

test('no two slices of a pie look equal', () => {
  const ranks = Array.from({ length: maxSlices }, (_, index) => index + 1);
  expect(new Set(ranks.map((rank) => `${getRankColor(rank)} ${getRankPattern(rank)}`)).size).toBe(maxSlices);
  expect(ranks.slice(0, 7).map(getRankPattern)).toEqual([...Array(6).fill('plain'), 'rising']);
});

function toLinear(color: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function dot([a, b, c]: Rgb, [x, y, z]: Rgb): number {
  return a * x + b * y + c * z;
}

/** Returns the WCAG contrast ratio, 1 to 21. */
function contrast(a: string, b: string): number {
  const weights: Rgb = [0.2126, 0.7152, 0.0722];
  const [one, other] = [dot(weights, toLinear(a)), dot(weights, toLinear(b))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the perceived difference of two colors in OKLab, where black and white are 1 apart. */
function distance(a: string, b: string, vision: Matrix): number {
  const [one, other] = [toLab(a, vision), toLab(b, vision)];
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

function toLab(color: string, [red, green, blue]: Matrix): Rgb {
  const linear = toLinear(color);
  const within = (value: number) => Math.min(1, Math.max(0, value));
  const seen: Rgb = [within(dot(red, linear)), within(dot(green, linear)), within(dot(blue, linear))];
  const cones: Rgb = [
    Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], seen)),
    Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], seen)),
    Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], seen)),
  ];
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], cones),
    dot([1.9779984951, -2.428592205, 0.4505937099], cones),
    dot([0.0259040371, 0.7827717662, -0.808675766], cones),
  ];
}
