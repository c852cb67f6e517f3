/** A page of a list. `cursor` is there when more follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}
