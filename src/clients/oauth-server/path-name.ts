// Ids that the OAuth2 server's other users chose, as a part of a path. Pure.

/**
 * Whether the server can have something of this id: text of a length that it stores, without what its database refuses.
 * Dots alone would lead to another path, whatever the encoding.
 */
export function isPathName(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(id) && !/^\.{1,2}$/.test(id)
}
