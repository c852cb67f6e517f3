/** Which events a client wants. */
export interface EventFilter {
  readonly types?: readonly string[];
  readonly not_types?: readonly string[];
  readonly limit?: number;
  readonly lazy_load_members?: boolean;
}

/** The filter of a sync. */
export interface SyncFilter {
  readonly account_data?: EventFilter;
  readonly room?: { readonly timeline?: EventFilter; readonly state?: EventFilter };
}

/** True if the filter lets a type through. */
export function matches({ types, not_types: not = [] }: EventFilter, type: string): boolean {
  const matchesOne = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : pattern === type));
  return !matchesOne(not) && (types === undefined || matchesOne(types));
}
