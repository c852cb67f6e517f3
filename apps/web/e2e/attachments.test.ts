import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { useScriptedPage } from "./scripted-page.ts";
import { startBuiltGateway } from "./start-gateway.ts";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const image = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(DOT, "base64") });

const scene = useScriptedPage();

const attached = (page: Page) => page.getByRole("list", { name: "Attached files" });

/** Passes files to the page by paste or drop. */
async function give(
  page: Page,
  event: "paste" | "drop",
  files: readonly { readonly name: string; readonly type: string }[],
): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).evaluate(
    (field, { type, items, dot }) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(dot), (character) => character.charCodeAt(0));
      for (const item of items) data.items.add(new File([bytes], item.name, { type: item.type }));
      const init = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        type === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: data })
          : new DragEvent("drop", { ...init, dataTransfer: data }),
      );
    },
    { type: event, items: files, dot: DOT },
  );
}

describe.each([360, 1280])("at %i px", (width) => {
  test("attaches, removes and sends by keyboard alone, and shows the note", async () => {
    const page = await scene.openChat({ width });
    // The file chooser must be intercepted long before the key is pressed.
    const choosing = page.waitForEvent("filechooser", { timeout: 0 });
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Attach files");
    await page.keyboard.press("Enter");
    await (await choosing).setFiles([image("first.png"), image("second.png")]);
    await attached(page).getByRole("img", { name: "second.png", exact: true }).waitFor();
    await attached(page).getByRole("img", { name: "first.png", exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);

    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Remove second.png");
    await page.keyboard.press("Enter");
    await attached(page).getByRole("img", { name: "second.png", exact: true }).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Message");
    await page.keyboard.type("look");
    await page.keyboard.press("Enter");

    const said = page.getByRole("article", { name: "You" }).filter({ hasText: "look" });
    await said.getByText("1 attachment").waitFor();
    await attached(page).waitFor({ state: "detached" });
    const sent = scene.gateway.scripted.requests.find(({ method }) => method === "chat.send")?.params as {
      readonly attachments: readonly { readonly ref: string }[];
    };
    expect(sent.attachments).toEqual([{ ref: expect.any(String), kind: "image", fileName: "first.png" }]);
    expect(scene.gateway.scripted.uploads.get(sent.attachments[0]?.ref ?? "")?.toString("base64")).toBe(DOT);
    expect(await findViolations(page)).toEqual([]);
  });

  test("keeps attachments while the context view is open", async () => {
    const page = await scene.openChat({ width });
    await give(page, "paste", [{ name: "pasted.png", type: "image/png" }]);
    await attached(page).getByRole("img", { name: "pasted.png", exact: true }).waitFor();
    await page.evaluate(() => void (location.hash = location.hash.replace("chat", "context")));
    await page.getByRole("link", { name: "Back to the conversation" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(await attached(page).getByRole("img", { name: "pasted.png", exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article", { name: "You" }).getByText("1 attachment").waitFor();
    // It was requested once.
    expect(scene.gateway.scripted.requests.filter(({ method }) => method === "context.list")).toHaveLength(1);
  });

  test("names the attachments that a reload has removed, until they are attached again or the note is dismissed", async () => {
    const page = await scene.openChat({ width });
    await give(page, "paste", [
      { name: "first.png", type: "image/png" },
      { name: "second.png", type: "image/png" },
    ]);
    await attached(page).getByRole("img", { name: "second.png", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("alert").filter({ hasText: "Reloading the page removed first.png, second.png. Attach them again." }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await give(page, "drop", [{ name: "second.png", type: "image/png" }]);
    await page.getByRole("alert").filter({ hasText: "removed first.png. Attach it again." }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await attached(page).getByRole("img", { name: "second.png", exact: true }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article", { name: "You" }).getByText("1 attachment").waitFor();
    await page.reload();
    await page.getByRole("article", { name: "You" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("accepts pasted and dropped files, sends files without text, and explains what it rejects", async () => {
    const page = await scene.openChat({ width });
    await give(page, "paste", [{ name: "pasted.png", type: "image/png" }]);
    await give(page, "drop", [
      { name: "notes.pdf", type: "application/pdf" },
      { name: "dropped.png", type: "image/png" },
    ]);
    await attached(page).getByRole("img", { name: "pasted.png", exact: true }).waitFor();
    await attached(page).getByRole("img", { name: "dropped.png", exact: true }).waitFor();
    await attached(page).getByText("notes.pdf", { exact: true }).waitFor();
    const huge = { name: "huge.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(20_000_001) };
    await page.locator("input[type=file]").setInputFiles(huge);
    await page.getByRole("alert").filter({ hasText: "huge.bin cannot be attached: up to 20 MB each, 20 in a message." }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article", { name: "You" }).getByText("3 attachments").waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});

test("the built product accepts a pasted image and a text file, shows them in the history and answers", async () => {
  const product = await startBuiltGateway();
  try {
    const page = await scene.openChat({ width: 360 }, product);
    await give(page, "paste", [{ name: "pasted.png", type: "image/png" }]);
    await attached(page).getByRole("img", { name: "pasted.png", exact: true }).waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Buy bread.") });
    await attached(page).getByText("notes.txt", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article", { name: "Assistant" }).last().locator(".time").waitFor();
    await page.reload();
    const downloaded = page.waitForEvent("download");
    await page.getByRole("article", { name: "You" }).getByRole("button", { name: "Download notes.txt" }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe("notes.txt");
    expect(await readFile(await download.path(), "utf8")).toBe("Buy bread.");
    const image = page.getByRole("article", { name: "You" }).getByRole("img", { name: "pasted.png" });
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Enlarge pasted.png" }).click();
    await page.getByRole("dialog", { name: "pasted.png" }).getByRole("img").waitFor();
    expect(await findViolations(page)).toEqual([]);
  } finally {
    await product.close();
  }
});
