import type { AppSession } from "./app-session.ts";

/** A value for each session, made when it is first asked for. It outlives the pages that use it. */
export function perSession<Value>(create: (session: AppSession) => Value): (session: AppSession) => Value {
  const bySession = new WeakMap<AppSession, { readonly value: Value }>();
  return (session) => {
    const known = bySession.get(session) ?? { value: create(session) };
    bySession.set(session, known);
    return known.value;
  };
}
