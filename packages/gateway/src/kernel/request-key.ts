import type { ChatEntry } from "@factotum/protocol";

type Request = NonNullable<Extract<ChatEntry, { type: "notice" }>["request"]>;

const KINDS: Readonly<Record<Request["type"], string>> = { decision: "approval", answer: "question" };

/** What identifies the notice of a call or a question that waits for a person, wherever it is sent. */
export function requestIdentity({ type, id }: Request): readonly [string, string] {
  return [KINDS[type], id];
}

/** The key of that notice in the transcript. */
export function requestKey(request: Request): string {
  return requestIdentity(request).join("|");
}

/** The request that a notice with this key is about; `undefined` for other notices. */
export function parseRequestKey(key: string): Request | undefined {
  const [kind, id, ...others] = key.split("|");
  const type = kind === KINDS.decision ? "decision" : kind === KINDS.answer ? "answer" : undefined;
  return type === undefined || id === undefined || others.length > 0 ? undefined : { type, id };
}
