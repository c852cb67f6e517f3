/** The path of the public address, without a slash at the end; empty for an address without a path. */
export function publicPathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
}

/**
 * The target of a request without the path of the public address: a proxy may pass requests on with that path or without it. Other targets, and the path
 * without a slash behind it, stay as they are.
 */
export function withoutPublicPath(target: string, path: string): string {
  return path !== "" && target.startsWith(`${path}/`) ? target.slice(path.length) : target;
}
