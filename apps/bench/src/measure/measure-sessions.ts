import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Measurements } from "../report/figures.ts";
import { median, percentile } from "../report/percentile.ts";
import { fillSessions } from "../sides/fill-sessions.ts";
import { ListClient } from "../sides/list-client.ts";
import type { ProductHome } from "../sides/product-side.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { ANSWER, PLAIN_MESSAGE } from "../sides/wire.ts";

const SESSIONS = 100_000;
const MESSAGES = 10_000;
/** Messages kept by the summary of the long session. */
const KEPT = 20;

/** A home with very many sessions, and some with very many messages: the time of a list page, and of a turn compared with one in a new session. */
export async function measureSessions(
  home: ProductHome,
  plan: { readonly pages: number; readonly rounds: number; readonly perRound: number },
): Promise<Measurements> {
  const first = await home.start();
  using sampleClient = new TurnClient(first);
  await sampleClient.turn("sample", PLAIN_MESSAGE);
  await first.product.end("SIGTERM");
  fillSessions(home.folder, SESSIONS);
  const file = path.join(home.folder, "long.jsonl");
  await writeFile(file, longTranscript());
  const side = await home.start();
  try {
    using list = await ListClient.connect(side.url, side.product.token);
    const pages: number[] = [];
    for (let count = 0; count < plan.pages; count += 1) pages.push(await list.page());
    using client = new TurnClient(side);
    const ratios: number[] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      // A new one each round, like the empty one: otherwise the turns of the bench itself would lengthen it.
      await home.run("sessions", "import", file, "--key", `agent:main:http:long-${round}`);
      const short = await turnsOf(client, `short-${round}`, plan.perRound);
      const long = await turnsOf(client, `long-${round}`, plan.perRound);
      // The first one warms up.
      if (round > 0) ratios.push(long / short);
    }
    return { listPage: { value: percentile(pages, 0.5) }, longSession: { value: median(ratios) } };
  } finally {
    await side.product.end("SIGKILL");
  }
}

async function turnsOf(client: TurnClient, session: string, turns: number): Promise<number> {
  const samples: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) samples.push(await client.turn(session, PLAIN_MESSAGE));
  return median(samples);
}

/** The state of a session after that many messages: summarised, the last ones kept. */
function longTranscript(): string {
  const timestamp = new Date().toISOString();
  const header = { type: "session", version: 3, id: "long", timestamp };
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const content = [{ type: "text", text: index % 2 === 0 ? PLAIN_MESSAGE : ANSWER }];
    const message = index % 2 === 0 ? { role: "user", content } : { role: "assistant", content, stopReason: "stop" };
    return { type: "message", id: `m${index}`, parentId: index === 0 ? null : `m${index - 1}`, timestamp, message };
  });
  const summary = {
    type: "compaction",
    id: "cut",
    parentId: `m${MESSAGES - 1}`,
    timestamp,
    summary: "They have spoken of the kettle for a long time.",
    firstKeptEntryId: `m${MESSAGES - KEPT}`,
    tokensBefore: 100_000,
  };
  return [header, ...messages, summary].map((line) => `${JSON.stringify(line)}\n`).join("");
}
