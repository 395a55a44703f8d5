import { describe, expect, it } from 'vitest';
import { problemOf, queryOf } from './call.ts';

const answer = (status: number, statusText = '', headers: Record<string, string> = {}) => ({
  status,
  statusText,
  headers: new Headers(headers),
});

describe('problemOf', () => {
  it("takes the portal's own words", () => {
    const body = { title: 'Error', message: 'Somebody changed it.', requestId: 'r-1', kind: 'conflict' };
    const problem = problemOf(answer(409, 'Conflict'), JSON.stringify(body));
    expect(problem).toMatchObject({ ...body, status: 409, statusText: 'Conflict' });
  });

  it('makes a sentence of what a proxy answers, and keeps what it wrote', () => {
    const problem = problemOf(answer(502, 'Bad Gateway', { 'x-request-id': 'r-2' }), '<html>oops</html>');
    expect(problem.message).toBe('Bad Gateway (502)');
    expect(problem).toMatchObject({ kind: 'http', requestId: 'r-2', body: '<html>oops</html>' });
  });

  it('knows the status texts that HTTP/2 does not carry', () => {
    expect(problemOf(answer(401), '').statusText).toBe('Unauthorized');
    expect(problemOf(answer(599), '').message).toBe('Error (599)');
  });
});

describe('queryOf', () => {
  it('leaves out what is undefined', () => {
    expect(queryOf({ search: 'a b', after: undefined })).toBe('?search=a+b');
    expect(queryOf({ after: undefined })).toBe('');
    expect(queryOf(undefined)).toBe('');
  });
});
