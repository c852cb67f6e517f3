/** A page of a list. `cursor` is present if more follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}
