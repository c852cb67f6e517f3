import { expect, test } from "vitest";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { Notifier } from "./notifier.ts";
import { Store } from "./store.ts";

const session = (key: string, running: boolean): AppState["sessions"][number] => ({
  key,
  sessionId: key,
  agentId: "main",
  kind: "other",
  displayName: `Chat ${key}`,
  label: `About ${key}`,
  createdAtMs: 0,
  activeAtMs: 0,
  running,
  contextTokens: 0,
  totalTokens: 0,
});

/** A page whose person answers the browser's question, and the notifications that it shows. */
function openNotifier({
  answer = "granted",
  isPhone = false,
  isSecureContext = true,
}: { answer?: NotificationPermission; isPhone?: boolean; isSecureContext?: boolean } = {}) {
  const shown: { title: string; body: string | undefined; click?: () => void }[] = [];
  const asked: string[] = [];
  const opened: string[] = [];
  const stored = new Map<string, string>();
  const document = { hidden: true, baseURI: "https://assistant.example/x/" };
  class FakeNotification {
    static permission: NotificationPermission = "default";
    static requestPermission(): Promise<NotificationPermission> {
      asked.push("permission");
      FakeNotification.permission = answer;
      return Promise.resolve(answer);
    }
    constructor(title: string, { body }: NotificationOptions) {
      if (isPhone) throw new TypeError("Illegal constructor");
      shown.push({ title, body });
    }
    addEventListener(_type: string, click: () => void): void {
      const last = shown.at(-1);
      if (last !== undefined) last.click = click;
    }
    close(): void {}
  }
  const store = new Store<AppState>({ ...INITIAL_STATE, sessions: [session("a", false), session("b", false)] }, (notify) => notify());
  const registration = {
    showNotification: (title: string, { body }: NotificationOptions) => Promise.resolve(void shown.push({ title, body })),
  };
  const notifier = new Notifier({
    store,
    page: {
      document,
      isSecureContext,
      Notification: FakeNotification as unknown as typeof Notification,
      localStorage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
      navigator: { serviceWorker: { getRegistration: () => Promise.resolve(registration as unknown as ServiceWorkerRegistration) } },
      focus: () => undefined,
    },
    open: (route) => opened.push(route),
    renderPath: (key) => `/chat/${key}`,
  });
  const run = (): void => {
    store.update({ sessions: [session("a", true), session("b", false)] });
    store.update({ sessions: [session("a", false), session("b", false)] });
  };
  return { notifier, store, shown, asked, opened, document, run };
}

test("the permission is asked for only when the person turns notifications on, and nothing is shown before", async () => {
  const { notifier, asked, shown, run } = openNotifier();
  run();
  expect([notifier.state(), asked, shown]).toEqual(["off", [], []]);
  await notifier.turnOn();
  expect([notifier.state(), asked]).toEqual(["on", ["permission"]]);
  run();
  expect(shown.map(({ title, body }) => [title, body])).toEqual([["About a", "The answer is ready."]]);
  notifier.turnOff();
  run();
  expect(shown).toHaveLength(1);
  expect(notifier.state()).toBe("off");
});

test("a new call that waits is said once, and a click leads to the inbox", async () => {
  const { notifier, store, shown, opened } = openNotifier();
  await notifier.turnOn();
  store.update({ inbox: { approvals: 0, deadLetters: 0 } });
  store.update({ inbox: { approvals: 1, deadLetters: 0 } });
  store.update({ inbox: { approvals: 1, deadLetters: 0 } });
  store.update({ inbox: { approvals: 0, deadLetters: 0 } });
  expect(shown.map(({ body }) => body)).toEqual(["A call waits for your decision."]);
  shown[0]?.click?.();
  expect(opened).toEqual(["/inbox"]);
});

test("while the page is seen, and after its end, nothing is shown", async () => {
  const { notifier, shown, document, run } = openNotifier();
  await notifier.turnOn();
  document.hidden = false;
  run();
  document.hidden = true;
  notifier.close();
  run();
  expect(shown).toEqual([]);
});

test("a phone's notifications come from the service worker; refusals and insecure pages are told apart", async () => {
  const phone = openNotifier({ isPhone: true });
  await phone.notifier.turnOn();
  phone.run();
  await expect.poll(() => phone.shown.map(({ title }) => title)).toEqual(["About a"]);
  const refused = openNotifier({ answer: "denied" });
  await refused.notifier.turnOn();
  expect(refused.notifier.state()).toBe("blocked");
  expect(openNotifier({ isSecureContext: false }).notifier.state()).toBe("insecure");
});

test("a chat without a name of the person's is not called by the words that were said in it", async () => {
  const { notifier, store, shown } = openNotifier();
  await notifier.turnOn();
  const { label: _, ...unnamed } = session("a", true);
  store.update({ sessions: [unnamed] });
  store.update({ sessions: [{ ...unnamed, running: false }] });
  expect(shown).toMatchObject([{ title: expect.stringContaining("Chat of") as string, body: "The answer is ready." }]);
});
