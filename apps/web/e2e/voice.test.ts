import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "@factotum/testing-product";
import { type MediaServer, sayText, startMediaServer } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { useProductPage } from "./product-page.ts";

const KEY = "sk-media-0123456789";

let media: MediaServer;
const scene = useProductPage(async ({ server, config }) => {
  server.respond(() => sayText("Noted."));
  media = await startMediaServer({ key: KEY });
  const providers = { ...config.models.providers, ears: { api: "openai-chat", baseUrl: media.baseUrl, apiKey: KEY } };
  return { config: { ...config, models: { transcription: "ears/whisper-1", providers } } };
});
afterAll(() => media[Symbol.asyncDispose]());

async function openChat(width: number, { refusal = "", locale = "en-GB" } = {}): Promise<Page> {
  const page = await scene.openEmpty({ width, dark: width < 500, locale });
  if (refusal !== "")
    await page.addInitScript((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", name));
    }, refusal);
  await page.goto(`${scene.product.url}/#token=${scene.product.token}`);
  await page.locator(".connection.connected").waitFor();
  return page;
}

test("what was said comes into the field by keyboard, after what stands there, and is sent after a look at it", async () => {
  const page = await openChat(1280);
  media.respond(() => ({ type: "json", body: { text: "Buy milk." } }));
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Please:");
  await page.getByRole("button", { name: "Speak a message" }).press("Enter");
  await page.getByText("Recording. End it with the button in the field.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByText(/0:0[1-9]/).waitFor();
  await page.getByRole("button", { name: "End the recording" }).press("Enter");
  await expect.poll(() => field.inputValue()).toBe("Please: Buy milk.");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("message");
  const [file] = media.requests.at(-1)?.files ?? [];
  // WebM begins with these bytes.
  expect(
    Buffer.from(file?.bytes ?? [])
      .subarray(0, 4)
      .toString("hex"),
  ).toBe("1a45dfa3");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "Assistant" }).filter({ hasText: "Noted." }).waitFor();
});

test("a recording is dropped, before and while it is written down, and a failure says why", async () => {
  const page = await openChat(360);
  const field = page.getByRole("textbox", { name: "Message" });
  const speak = page.getByRole("button", { name: "Speak a message" });
  const asked = media.requests.length;
  await speak.click();
  await page.getByText(/0:0[1-9]/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await speak.waitFor();
  expect(media.requests.length).toBe(asked);
  media.respond(() => ({ type: "page", status: 502, html: "<h1>Bad gateway</h1>" }));
  await speak.click();
  await page.getByText(/0:0[1-9]/).waitFor();
  await page.getByRole("button", { name: "End the recording" }).click();
  await page.getByRole("alert").filter({ hasText: "The recording was not transcribed" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  media.respond(() => ({ type: "json", body: { text: "" } }));
  await speak.click();
  await page.getByText(/0:0[1-9]/).waitFor();
  await page.getByRole("button", { name: "End the recording" }).click();
  await page.getByText("Nothing was heard.").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(await field.inputValue()).toBe("");
});

test.each([
  ["NotAllowedError", "此页面不能使用麦克风"],
  ["NotFoundError", "没有找到麦克风"],
])("a microphone that is refused or missing (%s): it says what to do, in Chinese too", async (refusal, words) => {
  const page = await openChat(360, { refusal, locale: "zh-CN" });
  await page.getByRole("button", { name: "说出一条消息" }).click();
  await page.getByRole("alert").filter({ hasText: words }).waitFor();
});

test("the command writes down the same, and without a setting there is no button", async () => {
  media.respond(() => ({ type: "json", body: { text: "Buy bread." } }));
  const file = join(scene.product.home, "voice.wav");
  await writeFile(
    file,
    Buffer.concat([
      Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0", "latin1"),
      Buffer.alloc(64),
    ]),
  );
  expect(await runCommand(["media", "transcribe", file], scene.product)).toMatchObject({ code: 0, stdout: "Buy bread.\n" });
  const page = await openChat(1280);
  const speak = page.getByRole("button", { name: "Speak a message" });
  await speak.waitFor();
  expect(await runCommand(["config", "unset", "models.transcription"], scene.product)).toMatchObject({ code: 0 });
  await speak.waitFor({ state: "detached" });
  const refused = await runCommand(["media", "transcribe", file], scene.product);
  expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringContaining("models.transcription")]);
  expect(refused.code).not.toBe(0);
});
