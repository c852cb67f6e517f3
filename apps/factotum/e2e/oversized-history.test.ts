import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SessionImportReportSchema } from "@factotum/protocol";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const WINDOW = 200_000;
/** Four bytes are about one token of this text. */
const BYTES_PER_TOKEN = 4;
/** Two chunks of half a window, one merge of at most half a window, and the request that is answered. */
const MAX_TURN_BYTES = BYTES_PER_TOKEN * (WINDOW + WINDOW / 2 + WINDOW);
const TURNS = 10_000;

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");

/** A conversation of 40 MB, whose answers claim ten tokens each. */
async function writeLongConversation(file: string): Promise<void> {
  const out = createWriteStream(file);
  const filler = "lorem ipsum dolor sit amet ".repeat(74);
  const said = { provider: "other", model: "other", api: "other", usage: { input: 5, output: 5 }, stopReason: "stop" };
  out.write(`${JSON.stringify({ type: "session", version: 3, id: "long", timestamp: "2026-01-30T12:00:00.000Z", cwd: "/home/them" })}\n`);
  for (let index = 0; index < TURNS; index += 1) {
    const timestamp = 1_769_774_400_000 + index * 1000;
    const user = { role: "user", content: `question-${index}. ${filler}`, timestamp };
    const answer = { role: "assistant", content: [{ type: "text", text: `answer-${index}. ${filler}` }], ...said, timestamp };
    const lines = `${JSON.stringify({ type: "message", message: user })}\n${JSON.stringify({ type: "message", message: answer })}\n`;
    if (!out.write(lines)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

test(
  "an imported conversation of 40 MB costs one turn at most three summaries and two and a half windows, once, and the user is notified",
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-long-"));
    const file = path.join(folder, "long.jsonl");
    await writeLongConversation(file);
    await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
    model.respond(({ body }) => textReply(isSummary(body) ? "Known: they asked questions." : "Noted."));
    const models = [{ id: "claude-sonnet-4-6", contextWindow: WINDOW, maxOutput: 1000 }];
    await using product = await startProduct({
      config: {
        agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789", models } } },
      },
    });
    const imported = await runCommand(["sessions", "import", file, "--key", "agent:main:main", "--json"], product);
    expect(SessionImportReportSchema.parse(JSON.parse(imported.stdout)).imported).toMatchObject([{ entries: 2 * TURNS, problems: [] }]);

    const first = await runCommand(["agent", "--message", "hello"], product);
    expect(first.stdout).toContain("Noted.");
    expect(`${first.stdout}${first.stderr}`).toMatch(
      /This conversation is longer than the model can read: [\d,]+ older messages were summarised, and [\d,]+ before them are no longer shown to the model\. The transcript still has all of it\./,
    );
    const ofFirst = [...model.requests];
    const summaries = ofFirst.filter(({ body }) => isSummary(body));
    expect(summaries.length).toBeGreaterThanOrEqual(1);
    expect(summaries.length).toBeLessThanOrEqual(3);
    expect(ofFirst).toHaveLength(summaries.length + 1);
    expect(ofFirst.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(MAX_TURN_BYTES);
    const answered = JSON.stringify(ofFirst.at(-1)?.body);
    expect(answered).toContain(`question-${TURNS - 1}.`);
    expect(answered).toContain("Known: they asked questions.");
    expect(summaries.map(({ body }) => JSON.stringify(body)).join()).not.toContain("question-0.");

    expect((await runCommand(["agent", "--message", "and again"], product)).stdout.trim()).toBe("Noted.");
    const ofSecond = model.requests.slice(ofFirst.length);
    expect(ofSecond).toHaveLength(1);
    expect(ofSecond[0]?.bytes.length).toBeLessThan((ofFirst.at(-1)?.bytes.length ?? 0) + 5_000);
    expect(model.violations).toEqual([]);
    await rm(folder, { recursive: true });
  },
);
