/**
 * A part of a feed that cannot be read, for a reason that the feed's owner can act on. The message
 * completes the sentence "The event cannot be read: …".
 */
export class Unreadable extends Error {}
