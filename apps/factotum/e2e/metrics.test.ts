import parse from "parse-prometheus-text-format";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

test("the built gateway gives metrics to Prometheus, for a holder of the token", async () => {
  await using scene = await startFeishuScene();
  await scene.push();
  await scene.waitForSent(1);
  // A send is counted once the platform has answered, which is after the end of the turn.
  const { url, token } = scene.product;
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  const scrape = async (): Promise<{ readonly text: string; readonly value: (name: string, label: string) => string | undefined }> => {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    const families = parse(text);
    return {
      text,
      value: (name, label) =>
        families.find((family) => family.name === name)?.metrics.find(({ labels = {} }) => Object.values(labels).join() === label)?.value,
    };
  };
  await expect.poll(async () => (await scrape()).value("factotum_sends_total", "feishu,accepted")).toBe("1");
  const { text, value } = await scrape();
  expect(value("factotum_turns_total", "user,done")).toBe("1");
  expect(value("factotum_inputs_accepted_total", "feishu,accepted")).toBe("1");
  expect(value("factotum_model_calls_total", "anthropic,user,answered")).toBe("4");
  expect(value("factotum_tool_calls_total", "read,ok")).toBe("2");
  expect(value("factotum_tool_calls_total", "write,ok")).toBe("1");
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  for (const outside of ["ou_zhangsan", "oc_dm", "list_files", scene.messageId, scene.feishu.app.appId, token])
    expect(text).not.toContain(outside);
});
