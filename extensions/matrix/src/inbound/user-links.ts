/** The user that a link names: `https://matrix.to/#/@user:server` or `matrix:u/user:server`; `undefined` for every other link. */
export function userOfLink(url: string): string | undefined {
  const [, encoded] = /^https:\/\/matrix\.to\/#\/([^/?]{1,1000})/.exec(url) ?? [];
  const [, short] = /^matrix:u\/([^/?]{1,1000})/.exec(url) ?? [];
  const id = encoded === undefined ? (short === undefined ? undefined : `@${decoded(short)}`) : decoded(encoded);
  return id !== undefined && isUserId(id) ? id : undefined;
}

/** The link that names a user in a text. */
export function linkOfUser(userId: string): string {
  return `https://matrix.to/#/${encodeURIComponent(userId)}`;
}

/** True for a full user id. */
export function isUserId(id: string): boolean {
  return id.length <= 255 && /^@[^:\s]+:\S+$/.test(id);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    if (cause instanceof URIError) return part;
    throw cause;
  }
}
