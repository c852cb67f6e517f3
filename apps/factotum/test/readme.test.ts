import { PROVIDER_FACTS, PROVIDERS } from "@factotum/models";
import { createBrowserTool, createCoreTools, createMediaTools, createMemoryTools, type CoreToolsOptions } from "@factotum/tools";
import { describe, expect, test } from "vitest";
import { CHANNELS } from "../src/compose/extensions.ts";
import { readDocument } from "./documents.ts";

/** The cells of built and unbuilt features, by the first cell of a row. */
const rows = new Map(
  readDocument("README.md")
    .split("## What works today\n")[1]
    ?.split("\n## ", 1)
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| |"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, name = "", works = "", missing = ""]) => [name, { works, missing }]),
);

/** Common names of the servers that setup does not offer. */
const OTHERS: Readonly<Record<string, string>> = { lmstudio: "LM Studio", llamacpp: "llama.cpp", vllm: "vLLM", demo: "the demo" };

/** Only the names of the core tools are used here. */
const PORTS = { files: {}, runner: {}, messenger: {} } as CoreToolsOptions;

const cell = (name: string): string => rows.get(name)?.works ?? "";

describe("the table of what works", () => {
  test("names every channel of this build", () => {
    const names: Readonly<Record<string, string>> = {
      a2a: "A2A",
      feishu: "Feishu and Lark",
      irc: "IRC",
      slack: "Slack",
      webchat: "WebChat",
    };
    for (const { id } of CHANNELS) expect(cell("Channels")).toContain(names[id] ?? id);
  });

  test("names every provider", () => {
    const labels = Object.keys(PROVIDERS).map((id) => PROVIDER_FACTS.find((facts) => facts.id === id)?.label ?? OTHERS[id] ?? id);
    const named = `${cell("Providers with a key")} ${cell("Local models")}`;
    expect(labels.map((label) => label.replace(/ \(.*/, "")).filter((label) => !named.includes(label))).toEqual([]);
  });

  test("names every tool and no other", () => {
    const named = [...cell("Tools").matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const media = createMediaTools({ makesImages: true, speaks: true } as never);
    const tools = [...createCoreTools(PORTS), createBrowserTool({ settings: {} } as never), ...media, ...createMemoryTools({} as never)];
    expect(new Set(named)).toEqual(new Set(tools.map(({ name }) => name)));
  });

  test("lists nothing both as working and as not built", () => {
    const words = (text: string): string[] => text.split(/[,;] /);
    for (const { works, missing } of rows.values())
      expect(words(missing).filter((word) => word !== "" && words(works).includes(word))).toEqual([]);
    expect(rows.size).toBeGreaterThan(6);
  });
});
