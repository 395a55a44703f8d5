/** The portal lets a user open so many sockets and no more: a hundred viewers are ten people. */
export const benchUsers = Array.from({ length: 10 }, (_, at) => ({
  userName: `viewer-${at}`,
  password: 'bench',
  apps: 'all' as const,
}));
