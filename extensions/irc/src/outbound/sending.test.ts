import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";
import { renderLines } from "./render-lines.ts";

const WITHOUT_ECHO = { caps: ["message-tags", "server-time", "account-tag"] };

describe("lines", () => {
  test("a text of several lines is several messages, in order; code keeps its characters", async () => {
    await using scene = await Scene.start({ channels: ["#room"] });
    const receipt = await scene.send("#room", "Run **this**:\n\n```js\nconst a = [1, 2];\n  call(a); // <b>\n```\n\nThen *wait*.");
    expect(receipt).toMatchObject({ type: "accepted", messageIds: { length: 4 } });
    expect(scene.irc.messages.map(({ text }) => text)).toEqual([
      "Run \u0002this\u0002:",
      "\u0011const a = [1, 2];\u0011",
      "\u0011  call(a); // <b>\u0011",
      "Then \u001dwait\u001d.",
    ]);
  });

  test("people are named as on the network", () => {
    const mentions = [{ id: "account:alice", name: "Alice" }];
    expect(renderLines("@Alice yes, and @Alice knows", { maxBytes: 400, mentions })).toEqual(["Alice: yes, and Alice knows"]);
    expect(renderLines("**@Alice** knows, @Alice.", { maxBytes: 400, mentions })).toEqual(["\u0002Alice\u0002 knows, Alice."]);
  });

  test.each([
    ["a longer name", "ask @Alice2, @Alice_", "ask @Alice2, @Alice_"],
    ["an address", "mail bob@Alice or https://x.example/@Alice", "mail bob@Alice or https://x.example/@Alice"],
    ["code", "`@Alice` is\n\n    @Alice", "\u0011@Alice\u0011 is"],
  ])("%s keeps its @", (_, text, line) => {
    expect(renderLines(text, { maxBytes: 400, mentions: [{ name: "Alice" }] })[0]).toBe(line);
  });

  test("no line is longer than the limit, blank or broken, whatever the text is (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.integer({ min: 32, max: 400 }), (text, maxBytes) => {
        for (const line of renderLines(text, { maxBytes })) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxBytes);
          expect(line).not.toMatch(/[\r\n\0]/);
          expect(line.trim()).not.toBe("");
          expect(line.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("no recipient gets a cut line, with the longest names of people and channels", async () => {
    const nick = "n".repeat(30);
    const room = `#${"r".repeat(49)}`;
    await using scene = await Scene.start({ nick, channels: [room] });
    const [client] = scene.irc.clients;
    if (client !== undefined) {
      client.user = `~${"u".repeat(10)}`;
      client.host = "h".repeat(63);
    }
    for (const text of ["x".repeat(340), "字".repeat(113), "**👍** ".repeat(36)])
      expect(await scene.send(room, text)).toMatchObject({ type: "accepted" });
    expect(scene.irc.violations).toEqual([]);
    expect(scene.irc.messages.slice(0, 2).map(({ text }) => text)).toEqual(["x".repeat(340), "字".repeat(113)]);
  });

  test("no text becomes another command (property)", async () => {
    await using scene = await Scene.start({ channels: ["#room"] });
    const nasty = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(fc.constantFrom("\r", "\n", "\0", "\u0001", "QUIT", ":", " ", "PRIVMSG #other :x", "@label=x", "a"), { maxLength: 12 })
        .map((parts) => parts.join("")),
    );
    scene.irc.lines.length = 0;
    await fc.assert(
      fc.asyncProperty(nasty, nasty, async (text, id) => {
        await scene.send("#room", text);
        await scene.send(`nick:${id}`, "hello");
        await scene.send(`#${id}`, "hello");
        await scene.channel.resolveTarget(id, { signal: AbortSignal.timeout(60_000) });
      }),
      { numRuns: 60 },
    );
    await scene.irc.answered();
    expect(scene.irc.violations).toEqual([]);
    expect(scene.irc.lines.filter((line) => !/^(?:@label=\S+ )?PRIVMSG \S+ :|^PONG /.test(line))).toEqual([]);
    expect(scene.irc.messages.filter(({ target, text }) => target === "#other" || text.startsWith("\u0001"))).toEqual([]);
  });
});

describe("the network's limit of lines", () => {
  test("is kept with the defaults: no flood is killed, and the order stays", async () => {
    // A tenth of a hundredth of the RFC's times, for both sides.
    await using scene = await Scene.start(
      { channels: ["#room"], flood: { burst: 4, intervalMs: 20 } },
      { flood: { penaltyMs: 20, maxMs: 100 } },
    );
    const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    const sending = Promise.all(texts.map((text) => scene.send("#room", text)));
    const steps = setInterval(() => scene.clock.advance(20), 20);
    const receipts = await sending;
    clearInterval(steps);
    expect(receipts.map(({ type }) => type)).toEqual(texts.map(() => "accepted"));
    expect(scene.irc.messages.map(({ text }) => text)).toEqual(texts);
    expect(scene.irc.registrations).toBe(1);
  });

  test("the fake kills what is sent without a limit", async () => {
    await using scene = await Scene.start({ channels: ["#room"] }, { flood: { penaltyMs: 2_000, maxMs: 10_000 } });
    const receipts = await Promise.all(Array.from({ length: 12 }, (_, index) => scene.send("#room", `text ${index}`)));
    expect(receipts.some(({ type }) => type !== "accepted")).toBe(true);
    await expect.poll(() => scene.channel.health().detail).toContain("Excess Flood");
  });

  test("a text that waits for its turn for too long is refused for now", async () => {
    await using scene = await Scene.start({ channels: ["#room"], flood: { burst: 4, intervalMs: 25_000 } }, WITHOUT_ECHO);
    const first = scene.send("#room", "one");
    const second = scene.send("#room", "two");
    await scene.pass(60_000);
    expect(await first).toMatchObject({ type: "accepted" });
    expect(await second).toMatchObject({ type: "rejected", code: "rate-limited" });
  });
});

describe("what the server says about a text", () => {
  test("a refusal of its last line leaves open what was shown", async () => {
    await using scene = await Scene.start({ channels: ["#room"], flood: { burst: 6, intervalMs: 1_000 } });
    // The start took four.
    const sending = scene.send("#room", "one\n\ntwo\n\nthree");
    await scene.irc.until(() => scene.irc.messages.length === 2);
    scene.irc.failNext({ type: "numeric", code: "404", text: "Cannot send to channel" });
    scene.clock.advance(1_000);
    expect(await sending).toMatchObject({ type: "ambiguous" });
  });

  test("without copies of messages its answer to a PING confirms them", async () => {
    await using scene = await Scene.start({ channels: ["#room"] }, WITHOUT_ECHO);
    expect(await scene.send("#room", "hello")).toMatchObject({ type: "accepted", messageIds: { length: 1 } });
    scene.irc.failNext({ type: "numeric", code: "404", text: "Cannot send to channel" });
    expect(await scene.send("#room", "hello")).toMatchObject({ type: "rejected", code: "forbidden" });
  });

  test("a delay is passed on", async () => {
    await using scene = await Scene.start();
    scene.irc.addUser("alice");
    scene.irc.failNext({ type: "numeric", code: "439", text: "Message target change too fast. Please wait 104 seconds." });
    expect(await scene.send("nick:alice", "x")).toMatchObject({ code: "rate-limited", retry: { type: "after", delayMs: 104_000 } });
  });
});

describe("a text for an account", () => {
  const asked = (scene: Scene): number => scene.irc.lines.filter((line) => line.startsWith("WHOIS")).length;

  test("goes to the nickname under which its owner wrote last", async () => {
    await using scene = await Scene.start();
    const alice = scene.irc.addUser("alice_at_home", { account: "Alice" });
    scene.irc.say(alice, "factotum", "hello");
    await scene.irc.answered();
    expect(scene.host.received[0]?.origin.conversation.id).toBe("account:alice");
    expect(await scene.send("account:alice", "hi")).toMatchObject({ type: "accepted" });
    expect(scene.irc.messages[0]?.target).toBe("alice_at_home");
    expect(asked(scene)).toBe(0);
  });

  test("goes to nobody who has taken the nickname meanwhile", async () => {
    await using scene = await Scene.start();
    const alice = scene.irc.addUser("alice", { account: "alice" });
    scene.irc.say(alice, "factotum", "a private question");
    await scene.irc.answered();
    scene.irc.quitUser(alice);
    scene.irc.addUser("alice", { account: "mallory" });
    scene.clock.advance(60_000);
    expect(await scene.send("account:alice", "the answer")).toMatchObject({ type: "rejected", code: "not-found" });
    expect(scene.irc.messages).toEqual([]);
  });

  test("the server is asked again after seconds, for somebody in a common channel after a minute", async () => {
    await using scene = await Scene.start({ channels: ["#room"] });
    const near = scene.irc.addUser("near", { account: "near" });
    const far = scene.irc.addUser("far", { account: "far" });
    scene.irc.joinUser(near, "#room");
    for (const user of [near, far]) scene.irc.say(user, "factotum", "hello");
    await scene.irc.answered();
    scene.clock.advance(5_000);
    expect(await scene.send("account:near", "hi")).toMatchObject({ type: "accepted" });
    expect(asked(scene)).toBe(0);
    expect(await scene.send("account:far", "hi")).toMatchObject({ type: "accepted" });
    expect(asked(scene)).toBe(1);
    scene.irc.renameUser(near, "nearer");
    await scene.irc.answered();
    expect(await scene.send("account:near", "hi")).toMatchObject({ type: "accepted" });
    expect(scene.irc.messages.at(-1)?.target).toBe("nearer");
    scene.irc.quitUser(near);
    await scene.irc.answered();
    expect(await scene.send("account:near", "hi")).toMatchObject({ type: "rejected", code: "not-found" });
  });

  test("finds the owner again after a restart", async () => {
    await using scene = await Scene.start();
    const alice = scene.irc.addUser("al", { account: "alice" });
    scene.irc.say(alice, "factotum", "hello");
    await scene.irc.answered();
    expect(await scene.host.state.get("nick/alice")).toEqual({ type: "json", json: "al" });
    scene.clock.advance(60_000);
    expect(await scene.send("account:alice", "hi")).toMatchObject({ type: "accepted" });
    expect(asked(scene)).toBe(1);
  });

  test("keeps a nickname for 90 days after the last message, and stores a new one with the next", async () => {
    const DAY_MS = 24 * 60 * 60_000;
    await using scene = await Scene.start({ channels: ["#room"] });
    const alice = scene.irc.addUser("al", { account: "alice" });
    scene.irc.joinUser(alice, "#room");
    const say = async (): Promise<void> => {
      scene.irc.say(alice, "factotum", "hello");
      await scene.irc.answered();
    };
    await say();
    scene.irc.renameUser(alice, "alice");
    await say();
    expect(await scene.host.state.get("nick/alice")).toEqual({ type: "json", json: "alice" });
    await scene.channel.stop({ signal: AbortSignal.timeout(60_000) });
    scene.clock.advance(89 * DAY_MS);
    expect(await scene.host.state.get("nick/alice")).toBeDefined();
    scene.clock.advance(DAY_MS);
    expect(await scene.host.state.get("nick/alice")).toBeUndefined();
  });
});
