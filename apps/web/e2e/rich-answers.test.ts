import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, type Look, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

const CODE = "const area = (a: number): number => a ** 2; // square\n\nexport { area };";
const ANSWER = String.raw`## Areas

The area is \(a^2\), and \[ \int_0^1 x\,dx = \frac{1}{2} \] holds; this costs $5 to $6.

$$
\begin{aligned}
\boxed{b} &= \sqrt{\textcolor{red}{c}} \\
\fbox{d} &< e
\end{aligned}
$$

Not a formula: \(\frac{a\).

שלום לכולם, זה מימין.

مرحبا.

${"```ts\n"}${CODE}
${"```"}

${"```diff\n"}@@ -1 +1 @@
-old
+new
${"```"}

The end.
`;

function openAnswer(look: Look, text: string): Promise<Page> {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  session.say("areas?", "k-1");
  session.startRun();
  session.startBlock("thinking");
  session.write("**Considering** areas\n\nof *squares*");
  session.startBlock("text");
  session.write(text);
  session.commitAnswer([], "stop");
  session.endRun("done");
  return scene.openChat(look);
}

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("formulas, colours and both text directions pass axe and the page's policy", async () => {
    const page = await openAnswer(look, ANSWER);
    await page.locator(".formula math").nth(2).waitFor();
    await page.locator(".token-keyword").first().waitFor();
    await page.locator(".token-added").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByText("Thoughts").click();
    await page.locator(".thinking strong", { hasText: "Considering" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
    expect(sizes.page).toBeLessThanOrEqual(sizes.window);
  });
});

test("a person's message is shown as typed, with code blocks and links, below the date of its day", async () => {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  const text = 'Why *this*?\n1. see https://a.example/x.\n```ts\nconst wide = "' + "a word ".repeat(60) + '";\n```\nThanks';
  session.say(text, "k-1");
  session.startRun();
  session.startBlock("text");
  session.write("Because.");
  session.commitAnswer([], "stop");
  session.endRun("done");
  const page = await scene.openChat({ width: 360 });
  const said = page.getByRole("article", { name: "You" });
  const link = said.getByRole("link", { name: "https://a.example/x", exact: true });
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(await said.innerText()).toContain("Why *this*?\n1. see https://a.example/x.");
  await said.locator(".code .token-keyword").first().waitFor();
  // The first line of a page is highlighted like all others.
  expect(await said.locator(".code .token-keyword").allInnerTexts()).toEqual(["const"]);
  // Wide code scrolls in its own box.
  const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
  expect(sizes.page).toBeLessThanOrEqual(sizes.window);
  expect(await said.locator(".bubble").evaluate((bubble) => bubble.scrollWidth <= bubble.clientWidth)).toBe(true);
  expect(await page.locator(".day").allInnerTexts()).toEqual([expect.stringMatching(/^[A-Z][a-z]+day,? \d+ [A-Z][a-z]+ 20\d\d$/)]);
  expect(await page.locator(".answer .time").innerText()).toMatch(/^\d\d:\d\d$/);
  expect(await findViolations(page)).toEqual([]);
});

test("formulas are rendered as MathML, and an invalid one as its source", async () => {
  const page = await openAnswer({ width: 1280 }, ANSWER);
  await page.locator(".formula math").nth(2).waitFor();
  expect(await page.locator(".formula math msup").count()).toBe(1);
  expect(await page.locator(".formula.display math mfrac").count()).toBe(1);
  expect(await page.locator(".formula math mtable").count()).toBe(1);
  expect(await page.locator("code.formula-source").allInnerTexts()).toEqual([String.raw`\(\frac{a\)`]);
  expect(await page.locator(".formula [style], .formula annotation").count()).toBe(0);
  expect(await page.locator(".prose").innerText()).toContain("costs $5 to $6");
});

test("a selection is copied as its source: formulas as TeX, code with its lines", async () => {
  const page = await openAnswer({ width: 1280 }, ANSWER);
  await page.locator(".formula math").nth(2).waitFor();
  await page.locator(".token-keyword").first().waitFor();
  const copy = (from: string, to = from): Promise<string> =>
    page.evaluate(
      (selectors) => {
        const [first, last] = selectors.map((selector) => document.querySelector(selector));
        const range = document.createRange();
        if (first instanceof Element) range.setStart(first, 0);
        if (last instanceof Element) range.setEnd(last, last.childNodes.length);
        window.getSelection()?.removeAllRanges();
        window.getSelection()?.addRange(range);
        let copied = "";
        document.addEventListener("copy", (event) => (copied = event.clipboardData?.getData("text/plain") ?? ""), { once: true });
        document.execCommand("copy");
        return copied === "" ? (window.getSelection()?.toString() ?? "") : copied;
      },
      [from, to],
    );
  const [, first = ""] = ANSWER.split("\n\n");
  expect(await copy(".prose p")).toBe(first);
  // An unfinished formula is text.
  expect(await copy(".formula msup")).toBe(String.raw`\(a^2\)`);
  const display = ANSWER.split("\n\n")[2] ?? "";
  expect(await copy(".prose h2", ".prose > .formula.display")).toMatch(/^Areas\n+The area is/);
  expect(await copy(".prose > .formula.display")).toContain("\\boxed{b}");
  expect(display.split("\n").every((line) => line.length > 0)).toBe(true);
  expect((await copy(".code code")).trimEnd()).toBe(CODE);
});

test("paragraphs follow the direction of their text, and so does the message field", async () => {
  const page = await openAnswer({ width: 1280 }, ANSWER);
  const direction = (text: string): Promise<string> => page.getByText(text).evaluate((element) => getComputedStyle(element).direction);
  expect(await direction("שלום לכולם")).toBe("rtl");
  expect(await direction("مرحبا")).toBe("rtl");
  expect(await direction("The end.")).toBe("ltr");
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill("مرحبا");
  expect(await input.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
});

test("long code can be wrapped and folded, and is selected completely", async () => {
  const lines = Array.from({ length: 120 }, (_, index) => `line ${index} ${"is wide, ".repeat(30)}end`).join("\n");
  const page = await openAnswer({ width: 360 }, `\`\`\`\n${lines}\n\`\`\`\n`);
  const box = page.locator(".code-scroll");
  const isWide = (): Promise<boolean> => box.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await isWide()).toBe(true);
  await page.getByRole("button", { name: "Wrap lines" }).click();
  expect(await isWide()).toBe(false);
  await page.getByRole("button", { name: "Fold" }).click();
  expect(await box.evaluate((element) => element.clientHeight)).toBeLessThanOrEqual(320);
  const selected = await box.evaluate((element) => {
    window.getSelection()?.selectAllChildren(element);
    return window.getSelection()?.toString() ?? "";
  });
  expect(selected.trimEnd()).toBe(lines);
  await page.getByRole("button", { name: "Show all 120 lines" }).click();
  expect(await box.evaluate((element) => element.clientHeight)).toBeGreaterThan(320);
});

test("while an answer streams, only its end is drawn, and the commit replaces none of its elements", async () => {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  for (let index = 0; index < 30; index += 1) session.say(`message ${index}`, `k-${index}`);
  session.startRun();
  session.startBlock("text");
  session.write("# Title\n\nA paragraph with [a link][l].\n\n[l]: https://a.example\n\n");
  const page = await scene.openChat({ width: 1280 });
  await page.getByRole("heading", { name: "Title" }).waitFor();
  // The newest rows are drawn first: counting starts when all rows are there.
  await page.getByText("message 0", { exact: true }).waitFor({ state: "attached" });
  await page.evaluate(() => {
    const answer = document.querySelector(".answer:last-of-type .prose");
    const counts = { outside: 0, settled: 0, characters: 0 };
    (window as unknown as { counts: typeof counts }).counts = counts;
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        if (answer?.contains(target) !== true) counts.outside += 1;
        else if ([...answer.children].slice(0, 2).some((block) => block.contains(target))) counts.settled += 1;
        counts.characters += target.nodeType === Node.TEXT_NODE ? (target.nodeValue?.length ?? 0) : 0;
        for (const node of addedNodes) counts.characters += node.textContent?.length ?? 0;
      }
    }).observe(document.querySelector(".chat-column") ?? document.body, { subtree: true, childList: true, characterData: true });
  });
  session.write("```ts\n");
  let written = 0;
  for (let index = 0; index < 400; index += 1) {
    const line = `const value${index} = compute(${index});\n`;
    written += line.length;
    session.write(line);
    if (index % 10 === 9) await page.getByText(`value${index} =`).waitFor();
  }
  const counts = await page.evaluate(() => (window as unknown as { counts: Record<string, number> }).counts);
  expect(counts).toMatchObject({ outside: 0, settled: 0 });
  // A chunk of 50 lines is rendered again at most once per line.
  expect(counts["characters"]).toBeLessThan(written * 52);
  expect(counts["characters"]).toBeGreaterThan(written / 2);

  await page.evaluate(() => {
    const removed: string[] = [];
    (window as unknown as { removed: string[] }).removed = removed;
    new MutationObserver((records) => {
      for (const { removedNodes } of records)
        for (const node of removedNodes)
          if (node instanceof Element && node.className !== "working") removed.push(node.outerHTML.slice(0, 80));
    }).observe(document.querySelector(".chat-column") ?? document.body, { subtree: true, childList: true });
  });
  const row = await page.locator(".answer").elementHandle();
  const code = await page.locator(".answer .code-chunk").last().elementHandle();
  session.write("```\n\nThat was **all**.");
  session.commitAnswer([], "stop");
  session.endRun("done");
  await page.locator(".answer .time").waitFor();
  // Its highlighting comes last.
  await page.locator(".answer .token-keyword").first().waitFor();
  expect(await page.evaluate(() => (window as unknown as { removed: string[] }).removed)).toEqual([]);
  expect(await row?.evaluate((element) => element === document.querySelector(".answer"))).toBe(true);
  expect(await code?.evaluate((element) => element.isConnected)).toBe(true);
  // Highlighting does not block the page.
  expect(page.workers().map((worker) => worker.url())).toEqual([expect.stringContaining("tokenize-worker")]);
});

test("unclosed marks count as closed while they are written, and thoughts show their topic at once", async () => {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  const page = await scene.openChat({ width: 360 });
  session.startRun();
  session.startBlock("thinking");
  session.write("**Considering** the");
  await page.locator(".thinking-line", { hasText: /^Considering the$/ }).waitFor();
  session.write(" areas\n\nThen *squares*");
  await page.locator(".thinking-line", { hasText: /^Then squares$/ }).waitFor();
  session.startBlock("text");
  session.write("This is **bo");
  await page.locator(".answer strong", { hasText: /^bo$/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  session.commitAnswer([], "stop");
  session.endRun("done");
});
