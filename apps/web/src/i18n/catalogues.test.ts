import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HEARTBEAT_OFFER, offeredHeartbeats } from "@factotum/protocol";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { expect, test } from "vitest";
import { readTexts } from "../../test/source-texts.ts";
import chinese from "./catalogues/zh-CN.json" with { type: "json" };

const SRC = fileURLToPath(new URL("..", import.meta.url));
const files = globSync("**/*.{ts,tsx}", { cwd: SRC })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !file.endsWith(".test.ts"))
  .sort();
const texts = files.map((file) => ({ file, ...readTexts(file, readFileSync(`${SRC}/${file}`, "utf8")) }));
/** Texts that the terminal shows too. */
const shared = [HEARTBEAT_OFFER, ...offeredHeartbeats({ id: "main", heartbeat: "other" }).map(({ label }) => label)];
const keys = [...new Set([...shared, ...texts.flatMap((one) => one.keys)])].sort();

test("no text of the page is in its sources alone", () => {
  expect(texts.flatMap(({ untranslated }) => untranslated)).toEqual([]);
});

test("the English catalogue has every text of the sources; update it with vitest -u", async () => {
  await expect(`${JSON.stringify(Object.fromEntries(keys.map((key) => [key, key])), undefined, 2)}\n`).toMatchFileSnapshot(
    "catalogues/en.json",
  );
});

test("the Chinese catalogue has each of them, and no other", () => {
  const known = Object.keys(chinese);
  expect({ missing: keys.filter((key) => !known.includes(key)), obsolete: known.filter((key) => !keys.includes(key)) }).toEqual({
    missing: [],
    obsolete: [],
  });
});

test.each(Object.entries<string>(chinese))("the translation of %j has its placeholders and elements", (english, translation) => {
  expect(translation).not.toBe("");
  expect(placeholdersOf(translation)).toEqual(placeholdersOf(english));
});

/** Names of the values and numbers of the elements. */
function placeholdersOf(message: string): readonly string[] {
  const values = (token: unknown): readonly string[] => {
    if (!Array.isArray(token)) return [];
    const [name, , cases] = token as readonly unknown[];
    return [
      String(name),
      ...Object.values(Object(cases) as object).flatMap((tokens: unknown) => (Array.isArray(tokens) ? tokens.flatMap(values) : [])),
    ];
  };
  const compiled = compileMessage(message);
  const elements = [...message.matchAll(/<\/?\d+\/?>/g)].map(([element]) => element);
  return [...new Set([...(Array.isArray(compiled) ? compiled.flatMap(values) : []), ...elements])].sort();
}

test("the reader of sources finds what people would see, and nothing else", () => {
  const { keys: found, untranslated } = readTexts(
    "x.tsx",
    `import { t } from "./two words.ts";
     const wide = useMediaQuery("(min-width: 52rem)"), word = "icon-button", said = "Something was said.";
     if (word === "two words here") throw new Error("For a programmer only.");
     const label = msg("In a table");
     export const A = () => <p className="two words" title="Seen" data-x={word ? "a b" : "c d"}>
       Plain {t("Translated {count}", { count: 1 })} {word ? "Yes" : t("No")} <RichText id="With <0>part</0>" parts={[<b />]} />
       {\`\${wide} left\`} {names.map((name) => name + "x")}
     </p>;`,
  );
  expect(found).toEqual(["In a table", "Translated {count}", "No", "With <0>part</0>"]);
  expect(untranslated).toEqual(["x.tsx:2: Something was said.", "x.tsx:5: Seen", "x.tsx:6: Plain", "x.tsx:6: Yes", "x.tsx:7: left"]);
});
