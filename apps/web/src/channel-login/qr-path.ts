import { encode } from "uqr";

/** Light modules around the code, which scanners need. */
const BORDER = 4;

/** The dark modules of a QR code as an SVG path in units of one module; `undefined` if the content does not fit into a code. */
export function qrPath(content: string): { readonly path: string; readonly size: number } | undefined {
  // The capacity of the largest code at the lowest level of correction.
  if (new TextEncoder().encode(content).length > 2953) return undefined;
  const { data, size } = encode(content, { border: BORDER });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { path: modules.join(""), size };
}
