/** The portal limits the sockets per user, so a hundred viewers need ten users. */
export const benchUsers = Array.from({ length: 10 }, (_, at) => ({
  userName: `viewer-${at}`,
  password: 'bench',
  apps: 'all' as const,
}));
