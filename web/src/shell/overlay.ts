/** What can lie over the screen; one at a time, each fetched when it is first wanted. */
export type Overlay = 'panel' | 'sign-out' | 'palette' | 'keys';
