import { describe, expect, it } from 'vitest';
import { rank, scoreTexts } from './ranking.ts';

describe('scoreTexts', () => {
  it('ranks a whole text above its prefix, a word prefix and any other match', () => {
    const scores = ['farm', 'farmers', 'my farm', 'alfarm'].map((text) => scoreTexts(['farm'], [text]));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(4);
  });
});

describe('rank', () => {
  it('returns the highest scores first and counts the other matches', () => {
    expect(rank([3, 0, 9, 5], (score) => score, 2)).toEqual({ best: [9, 5], moreCount: 1 });
  });

  it('counts no further matches when all of them are returned', () => {
    expect(rank([1, 0], (score) => score, 2)).toEqual({ best: [1], moreCount: 0 });
  });
});
