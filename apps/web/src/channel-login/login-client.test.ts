import { expect, test } from "vitest";
import { createLoginClient } from "./login-client.ts";

type Request = Parameters<typeof createLoginClient>[0]["request"];

const ACCOUNT = { channel: "lantern", accountId: "default" };
const NO_QUESTION = (): Promise<string> => Promise.reject(new Error("nothing is asked"));

/** A gateway whose answers to `channels.login` the test gives; it records all requests. */
function scripted(): { readonly request: Request; readonly sent: string[]; readonly answer: (step: object) => void } {
  const sent: string[] = [];
  let open: ((value: object) => void) | undefined;
  return {
    sent,
    answer: (step) => open?.({ loginId: "l1", step }),
    request: ((method: string, params: { readonly loginId?: string }) => {
      sent.push(`${method} ${params.loginId ?? "new"}`);
      if (method === "channels.cancelLogin") return Promise.resolve({ cancelled: true });
      return new Promise<never>((resolve) => (open = resolve as (value: object) => void));
    }) as Request,
  };
}

/** Starts a login whose first step has been shown. */
async function begun(gateway: ReturnType<typeof scripted>, leaving: AbortController, type: string): Promise<void> {
  const shown = Promise.withResolvers<void>();
  const { signal } = leaving;
  const ask = (): Promise<string> => new Promise(() => undefined);
  void createLoginClient(gateway).run(ACCOUNT, { signal, ask, onStep: () => shown.resolve() });
  gateway.answer({ type, text: "Open Lantern", isSecret: false });
  await shown.promise;
}

test("ends the login in the gateway when it is left while a step is awaited", async () => {
  const gateway = scripted();
  const leaving = new AbortController();
  await begun(gateway, leaving, "text");
  leaving.abort();
  expect(gateway.sent).toEqual(["channels.login new", "channels.login l1", "channels.cancelLogin l1"]);
});

test("ends the login when it is left while a question is open", async () => {
  const gateway = scripted();
  const leaving = new AbortController();
  await begun(gateway, leaving, "ask");
  leaving.abort();
  expect(gateway.sent).toEqual(["channels.login new", "channels.cancelLogin l1"]);
});

test("ends a login that is left before the gateway has named it", async () => {
  const gateway = scripted();
  const leaving = new AbortController();
  const shown: object[] = [];
  const run = createLoginClient(gateway).run(ACCOUNT, {
    signal: leaving.signal,
    ask: NO_QUESTION,
    onStep: (step) => shown.push(step),
  });
  leaving.abort();
  gateway.answer({ type: "text", text: "Open Lantern" });
  await run;
  expect(gateway.sent).toEqual(["channels.login new", "channels.cancelLogin l1"]);
  expect(shown).toEqual([]);
});

test("cancels nothing after the login is done", async () => {
  const gateway = scripted();
  const leaving = new AbortController();
  const run = createLoginClient(gateway).run(ACCOUNT, { signal: leaving.signal, ask: NO_QUESTION, onStep: () => undefined });
  gateway.answer({ type: "done", text: "Logged in" });
  await run;
  leaving.abort();
  expect(gateway.sent).toEqual(["channels.login new"]);
});
