import type { PluginRoute } from "./plugin-route.ts";

const WILDCARD = "/*";

/**
 * The routes at a path: those of one pattern, one for each method. The path itself comes first, then the longest pattern with a wildcard, whatever its methods,
 * so that a wider public route never answers for a narrower one. Paths are compared as they were sent.
 */
export function matchRoutes<Route extends Pick<PluginRoute, "path">>(routes: readonly Route[], path: string): readonly Route[] {
  const patterns = routes.map((route) => route.path).filter((pattern) => pattern === path || isBelow(path, pattern));
  const [best] = patterns.toSorted((one, other) => Number(other === path) - Number(one === path) || other.length - one.length);
  return routes.filter((route) => route.path === best);
}

function isBelow(path: string, pattern: string): boolean {
  return pattern.endsWith(WILDCARD) && path.startsWith(pattern.slice(0, -1));
}
