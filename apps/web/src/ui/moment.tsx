import { formatMoment } from "../app/locale.ts";

/** A moment in the page's locale. */
export function Moment({ atMs }: { readonly atMs: number }): React.JSX.Element {
  return <time dateTime={new Date(atMs).toISOString()}>{formatMoment(atMs)}</time>;
}
