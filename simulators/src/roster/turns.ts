export interface Turn<User> {
  readonly user: User;
  /** Epoch milliseconds. */
  readonly start: number;
  readonly end: number;
}

/** Lists the turns of equal length that overlap a range, one user after another. */
export function* listTurns<User>(
  users: readonly User[],
  turnMs: number,
  since: number,
  until: number,
): Iterable<Turn<User>> {
  const getTurnStart = (turn: number) => turn * turnMs + turnMs / 2;
  for (let turn = Math.floor((since - turnMs / 2) / turnMs); getTurnStart(turn) < until; turn++) {
    const user = users[turn % users.length];
    if (user) yield { user, start: getTurnStart(turn), end: getTurnStart(turn + 1) };
  }
}
