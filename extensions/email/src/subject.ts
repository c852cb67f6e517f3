/** What mail programs put in front of the subject of a reply, in their language; `[2]` counts replies. */
const REPLY = /^(?:re|aw|antw|sv|rif|ynt|vs|odp|res|回复|答复|返信)(?:\[\d+\])?\s*[:：]\s*/i;
const FORWARD = /^(?:fwd?|wg|tr|rv|enc|i|vb|转发)\s*[:：]\s*/i;
const AUTOMATIC =
  /^(?:automatic reply|auto(?:matische)? ?(?:reply|antwort)|out of office|abwesenheitsnotiz|réponse automatique|respuesta automática)\s*[:：]\s*/i;

/** The subject without the signs of replies and forwards. */
export function baseSubject(subject: string): string {
  let base = subject.trim();
  for (let next = strip(base); next !== base; next = strip(base)) base = next;
  return base;
}

function strip(subject: string): string {
  return subject.replace(REPLY, "").replace(FORWARD, "").replace(AUTOMATIC, "").trim();
}

/** True if the subject says that the mail forwards another one. */
export function isForward(subject: string): boolean {
  return FORWARD.test(subject.trim());
}

/** The subject of an answer: one sign of a reply, however many there were. */
export function replySubject(subject: string): string {
  const trimmed = subject.trim();
  return REPLY.test(trimmed) ? `Re: ${trimmed.replace(REPLY, "")}`.trim() : `Re: ${trimmed}`.trim();
}
