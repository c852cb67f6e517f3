import { Buffer } from "node:buffer";

/** A PDF with one text a page, in lines; `""` is a page without text. `extra` goes into the trailer, `objects` are added. */
export function makePdf(
  pages: readonly string[],
  options: { readonly trailer?: string; readonly objects?: readonly string[] } = {},
): Buffer {
  const { trailer = "", objects: more = [] } = options;
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => {
      const stream = contentOf(text);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${Buffer.byteLength(stream, "latin1")} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    ...more,
  ];
  const parts = ["%PDF-1.7\n"];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, body] of objects.entries()) {
    offsets.push(length);
    const part = `${index + 1} 0 obj\n${body}\nendobj\n`;
    parts.push(part);
    length += Buffer.byteLength(part, "latin1");
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  parts.push(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
  );
  return Buffer.from(parts.join(""), "latin1");
}

function contentOf(text: string): string {
  if (text === "") return "";
  const lines = text.split("\n").map((line) => `(${line.replace(/[\\()]/g, String.raw`\$&`)}) Tj 0 -14 Td`);
  return `BT /F1 12 Tf 72 720 Td ${lines.join(" ")} ET`;
}
