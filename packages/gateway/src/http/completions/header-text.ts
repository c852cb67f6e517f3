/** Encodes a text for a header: all but printable ASCII is percent-encoded as UTF-8. A `%` of the text stays as it is. */
export function encodeHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, (piece) => encodeURIComponent(piece));
}

/** Decodes the output of `encodeHeaderText`: encoded bytes beyond ASCII become their characters again, if they are UTF-8. */
export function decodeHeaderText(text: string): string {
  return text.replace(/(?:%[89a-f][0-9a-f])+/gi, (piece) => {
    try {
      return decodeURIComponent(piece);
    } catch (error) {
      if (error instanceof URIError) return piece;
      throw error;
    }
  });
}
