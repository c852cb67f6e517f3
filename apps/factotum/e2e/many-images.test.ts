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

const IMAGES = 5;
const IMAGE_CHARS = 14 * 1024 * 1024;
const TURNS = 10;

/** A short conversation that began with 70 MiB of images. */
async function writeConversation(file: string): Promise<void> {
  const out = createWriteStream(file);
  const image = { type: "image", data: "A".repeat(IMAGE_CHARS), mimeType: "image/png" };
  out.write(`${JSON.stringify({ type: "session", version: 3, id: "images", timestamp: "2026-01-30T12:00:00.000Z", cwd: "/home/them" })}\n`);
  for (let index = 0; index < TURNS; index += 1) {
    const timestamp = 1_769_774_400_000 + index * 1000;
    const content = [{ type: "text", text: `question-${index}.` }, ...(index > 0 && index <= IMAGES ? [image] : [])];
    const answer = { role: "assistant", content: [{ type: "text", text: `answer-${index}.` }], stopReason: "stop", timestamp };
    for (const message of [{ role: "user", content, timestamp }, answer])
      if (!out.write(`${JSON.stringify({ type: "message", message })}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

test("with older images of any size, every text of a conversation is sent, without a notice that it is too long", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-images-"));
  const file = path.join(folder, "images.jsonl");
  await writeConversation(file);
  await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  model.respond(() => textReply("Noted."));
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    },
  });
  const imported = await runCommand(["sessions", "import", file, "--key", "agent:main:main", "--json"], product);
  expect(SessionImportReportSchema.parse(JSON.parse(imported.stdout)).imported).toMatchObject([{ entries: 2 * TURNS, problems: [] }]);
  const { stdout, stderr } = await runCommand(["agent", "--message", "hello"], product);
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: "Noted.", stderr: "" });
  expect(model.requests).toHaveLength(1);
  const sent = JSON.stringify(model.requests[0]?.body);
  for (let index = 0; index < TURNS; index += 1) expect(sent).toContain(`question-${index}.`);
  expect(sent.split("[image data removed")).toHaveLength(IMAGES + 1);
  expect(model.violations).toEqual([]);
  await rm(folder, { recursive: true });
});
