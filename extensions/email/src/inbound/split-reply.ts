/** A text of a mail in its parts. */
export interface SplitText {
  /** What the person wrote. */
  readonly own: string;
  /** The mail that was replied to, as the reply repeats it. */
  readonly quoted?: string;
  /** A mail that was forwarded below. */
  readonly forwarded?: string;
}

const FORWARD_MARK =
  /^(?:-{2,} ?(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado) ?-{2,}|Begin forwarded message:|Anfang der weitergeleiteten (?:Nachricht|E-Mail):)\s*$/i;
const ORIGINAL_MARK =
  /^-{2,} ?(?:Original Message|Original-?Nachricht|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale) ?-{2,}\s*$/i;
/** Outlook writes the headers of the mail below, in the reader's language. */
const HEADER_BLOCK = /^\*?(?:From|Von|De|Da|Van|Från|Fra):\*? .+$/i;
const HEADER_LINE =
  /^\*?(?:Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Skickat|Sendt|Date|Datum|To|An|À|Para|A|Aan|Till|Til|Cc|Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Ämne|Emne):\*? .*$/i;
/** `On Monday … Alice wrote:` and the like; it may take two lines. */
const ATTRIBUTION =
  /^(?!>).{0,300}(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev|napisał\(a\)|написал\(а\))(?!\p{L}).{0,200}:\s*$/iu;
const RULE = /^_{20,}\s*$/;
/** RFC 3676: the line that separates a signature, with its space. */
const SIGNATURE = "-- ";

/**
 * Separates what the person wrote from the mail below or above it and from the signature. Answers between the lines of a quote belong to both: such a text stays whole.
 * `isReply`: the headers say that it answers a mail; `isForward`: its subject says that it forwards one.
 */
export function splitReply(text: string, { isReply, isForward }: { readonly isReply: boolean; readonly isForward: boolean }): SplitText {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const quotes = quoteEnds(lines);
  const start = lines.findIndex((_, index) => beginsHistory(lines, { index, isAnswer: isReply || isForward, quotes }));
  if (start === -1) {
    const leading = isReply ? leadingQuote(lines) : 0;
    if (leading > 0) return { own: ownText(lines.slice(leading)), quoted: unquote(lines.slice(0, leading)) };
    const quote = isReply ? trailingQuote(lines) : lines.length;
    return { own: ownText(lines.slice(0, quote)), ...(quote < lines.length && { quoted: unquote(lines.slice(quote)) }) };
  }
  const body = lines.slice(start);
  const own = ownText(lines.slice(0, start));
  const isMarked = FORWARD_MARK.test(body[0] ?? "");
  return isMarked || isForward ? { own, forwarded: unquote(body) } : { own, quoted: unquote(body) };
}

/** Longer lines are no attribution: an expression would take long for them. */
const MAX_ATTRIBUTION = 600;

/** For each line: from there on there is nothing but a quote. */
function quoteEnds(lines: readonly string[]): readonly boolean[] {
  const ends: boolean[] = Array.from({ length: lines.length + 1 }, () => false);
  let isAllQuoted = true;
  let hasQuote = false;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    isAllQuoted &&= line.startsWith(">") || line.trim() === "";
    hasQuote ||= line.startsWith(">");
    ends[index] = isAllQuoted && hasQuote;
  }
  return ends;
}

function isAttribution(line: string): boolean {
  return line.length <= MAX_ATTRIBUTION && ATTRIBUTION.test(line);
}

function beginsHistory(
  lines: readonly string[],
  { index, isAnswer, quotes }: { readonly index: number; readonly isAnswer: boolean; readonly quotes: readonly boolean[] },
): boolean {
  const line = (lines[index] ?? "").trimEnd();
  if (FORWARD_MARK.test(line)) return true;
  if (!isAnswer) return false;
  if (ORIGINAL_MARK.test(line)) return true;
  const following = lines.slice(index + 1, index + 6);
  if (HEADER_BLOCK.test(line)) return following.filter((one) => HEADER_LINE.test(one.trim())).length >= 2;
  if (RULE.test(line)) return following.some((one) => HEADER_BLOCK.test(one.trim()));
  // Only a quote to the end is history; an answer below or between is not.
  if (isAttribution(line)) return quotes[index + 1] === true;
  const isInTwoLines = line !== "" && !line.endsWith(":") && isAttribution(`${line} ${(lines[index + 1] ?? "").trim()}`);
  return isInTwoLines && quotes[index + 2] === true;
}

/** Where a quote ends that the text begins with, and that an answer without quotes follows; 0 if there is none. */
function leadingQuote(lines: readonly string[]): number {
  const first = lines.findIndex((line) => line.trim() !== "");
  const start = isAttribution(lines[first] ?? "") ? first + 1 : first;
  const length = lines.slice(start).findIndex((line) => !line.startsWith(">") && line.trim() !== "");
  const end = start + length;
  const hasQuote = lines.slice(start, end).some((line) => line.startsWith(">"));
  return first === -1 || length === -1 || !hasQuote || lines.slice(end).some((line) => line.startsWith(">")) ? 0 : end;
}

/** Where a quote begins that goes on to the end; the number of lines if there is none. */
function trailingQuote(lines: readonly string[]): number {
  let start = lines.length;
  for (let index = lines.length - 1; index >= 0 && (lines[index]?.startsWith(">") === true || lines[index]?.trim() === ""); index -= 1)
    if (lines[index]?.startsWith(">") === true) start = index;
  const hasAnswerBetween = lines.slice(0, start).some((line) => line.startsWith(">"));
  return start === 0 || hasAnswerBetween ? lines.length : start;
}

function ownText(lines: readonly string[]): string {
  const end = lines.lastIndexOf(SIGNATURE);
  return (end === -1 ? lines : lines.slice(0, end)).join("\n").trim();
}

function unquote(lines: readonly string[]): string {
  const isQuoted = lines.slice(1).every((line) => line.startsWith(">") || line.trim() === "");
  return (isQuoted ? lines.map((line) => line.replace(/^> ?/, "")) : lines).join("\n").trim();
}
