import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { png } from "./png.ts";
import { startSlackScene } from "./slack-scene.ts";

const REPORT = Buffer.from("quarter,sales\n1,4711\n");
const CHART = png(60, 40, [30, 120, 30]);

describe.each(["socket", "http"] as const)("files of a Slack conversation over %s", (transport) => {
  test("are sent after the text, byte for byte", async () => {
    await using scene = await startSlackScene(transport);
    for (const [name, bytes] of Object.entries({ "report.csv": REPORT, "chart.png": CHART }))
      await writeFile(path.join(scene.workspace, name), bytes);
    scene.model.respond(() => sayText("Here they are.\nMEDIA:report.csv\nMEDIA:chart.png"));
    await scene.say("Send me the results");
    const sent = await scene.shown((all) => all.flatMap(({ files }) => files).length === 2);
    expect(sent[0]).toMatchObject({ text: "Here they are.", files: [] });
    expect(sent.flatMap(({ files }) => files.map(({ name, bytes }) => [name, Buffer.from(bytes)]))).toEqual([
      ["report.csv", REPORT],
      ["chart.png", CHART],
    ]);
  });

  test("arrive with their bytes", async () => {
    await using scene = await startSlackScene(transport);
    scene.model.respond(() => sayText("Received."));
    const incoming = [
      { name: "report.csv", mimeType: "text/csv", bytes: REPORT },
      { name: "chart.png", mimeType: "image/png", bytes: CHART },
    ];
    for (const [index, input] of incoming.entries()) {
      await scene.say("", { files: [scene.slack.addFile(input)] });
      await scene.shown((sent) => sent.length === index + 1);
      const prompt = JSON.stringify(scene.model.requests.at(-1)?.body?.["messages"]);
      const file =
        prompt
          .match(/file: (\/[^)]*)\)\]/g)
          ?.at(-1)
          ?.slice("file: ".length, -2) ?? "";
      expect(await readFile(file)).toEqual(input.bytes);
    }
    expect(scene.model.violations).toEqual([]);
  });
});
