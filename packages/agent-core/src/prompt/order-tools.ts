import type { ToolOrigin } from "./prompt-facts.ts";

/**
 * Orders tools for the Tooling section and the request: core tools first, then the others, each by name (by code unit, so that no locale changes a request).
 */
export function orderTools<T extends { readonly name: string; readonly origin: ToolOrigin }>(tools: readonly T[]): readonly T[] {
  return tools.toSorted((left, right) => rank(left.origin) - rank(right.origin) || compare(left.name, right.name));
}

function rank(origin: ToolOrigin): number {
  return origin === "core" ? 0 : 1;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
