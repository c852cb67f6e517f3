/** How a file may be encoded on the wire. `identity` is the file as it is. */
export type ContentEncoding = "br" | "gzip" | "identity";

/** The better one first, for a client that likes them equally. */
const PREFERENCE: readonly ContentEncoding[] = ["br", "gzip", "identity"];

/**
 * Picks the encoding for an `accept-encoding` header among those that are there; `identity` always is. The client's weights decide, then size. Without a
 * header, or when the client refuses everything, it is `identity`: a file is better than a 406.
 */
export function negotiateEncoding(header: string | null, available: ReadonlySet<ContentEncoding>): ContentEncoding {
  if (header === null) return "identity";
  const weights = parseWeights(header);
  const weightOf = (encoding: ContentEncoding): number => {
    const own = weights.get(encoding) ?? (encoding === "gzip" ? weights.get("x-gzip") : undefined);
    // What is not named is not wanted, but the plain file is, unless it is refused.
    return own ?? weights.get("*") ?? (encoding === "identity" ? 0.0001 : 0);
  };
  let best: ContentEncoding = "identity";
  let bestWeight = 0;
  for (const encoding of PREFERENCE) {
    if (encoding !== "identity" && !available.has(encoding)) continue;
    const weight = weightOf(encoding);
    if (weight <= bestWeight) continue;
    best = encoding;
    bestWeight = weight;
  }
  return best;
}

function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
    if (name === "") continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  return weights;
}
