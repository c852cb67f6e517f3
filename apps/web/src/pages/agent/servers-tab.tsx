import type { RpcMethods, ToolServer } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatDuration } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc, useRpcMutation } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import styles from "./agent.module.css";

/** No event announces the health of servers. */
const HEALTH_MS = 10_000;
/** Packages may have to be fetched first. */
const TEST_MS = 120_000;

/** MCP servers and language servers: where they are, whether they work, and a test of each. */
export function ServersTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const servers = useRpc("servers.list", { agentId }, { everyMs: (newest) => (newest.servers.length === 0 ? undefined : HEALTH_MS) });
  return (
    <>
      <Loaded query={servers}>{({ servers: all }) => <ServerList agentId={agentId} servers={all} />}</Loaded>
      <p className="fact-line">
        <Link to="/settings/{-$section}" params={{ section: "configuration" }} search={{ group: "mcp", key: "mcp.servers" }}>
          {t("Settings of MCP servers")}
        </Link>
        <Link to="/settings/{-$section}" params={{ section: "configuration" }} search={{ group: "lsp", key: "lsp.detect" }}>
          {t("Settings of language servers")}
        </Link>
      </p>
    </>
  );
}

function ServerList({ agentId, servers: all }: { readonly agentId: string; readonly servers: readonly ToolServer[] }): React.JSX.Element {
  return all.length === 0 ? (
    <EmptyState>
      {t(
        "No servers. MCP servers give the agent more tools, and language servers know your code. Add one in the configuration, or with a plugin.",
      )}
    </EmptyState>
  ) : (
    <ul className={styles["items"]} aria-label={t("Servers")}>
      {all.map((server) => (
        <li key={`${server.kind} ${server.name}`}>
          <ServerItem agentId={agentId} server={server} />
        </li>
      ))}
    </ul>
  );
}

function ServerItem({ agentId, server }: { readonly agentId: string; readonly server: ToolServer }): React.JSX.Element {
  const { kind, name, place, package: owner, isEnabled, isTrusted, isDetected, languages, tools, problem } = server;
  const test = useRpcMutation("servers.test", { timeoutMs: TEST_MS });
  const [result, setResult] = useState<RpcMethods["servers.test"]["result"] | string>();
  const run = (): void => {
    setResult(undefined);
    test.mutate({ agentId, kind, name }, { onSuccess: setResult, onError: ({ message }) => setResult(message) });
  };
  const facts = [
    kind === "mcp" ? t("MCP server") : t("Language server"),
    ...(owner === undefined ? [] : [t("of the package {name}", { name: owner })]),
    ...(isDetected ? [t("found on this machine")] : []),
    ...(isTrusted === true ? [t("trusted")] : []),
    ...languages,
    ...(tools === undefined ? [t("not used yet")] : [t("{count, plural, one {# tool} other {# tools}}", { count: tools.length })]),
  ];
  return (
    <article className="list-item">
      <div className={styles["bar"]}>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {isEnabled ? problem === undefined ? null : <Badge tone="bad">{t("Does not work")}</Badge> : <Badge>{t("Switched off")}</Badge>}
        <div className="actions">
          <Button busy={test.isPending} disabled={!isEnabled} onClick={run}>
            {kind === "mcp" ? t("Reconnect") : t("Test")}
            <span className="sr-only"> {name}</span>
          </Button>
        </div>
      </div>
      <p className="note">{facts.join(" · ")}</p>
      {place === undefined ? null : (
        <code className={styles["place"]} dir="auto">
          {place}
        </code>
      )}
      {problem === undefined ? null : (
        <p className="problem" dir="auto">
          {gatewayText(problem)}
        </p>
      )}
      <Result result={result} />
    </article>
  );
}

function Result({ result }: { readonly result: RpcMethods["servers.test"]["result"] | string | undefined }): React.JSX.Element {
  if (result === undefined) return <output />;
  if (typeof result === "string" || !result.works) {
    const reason = typeof result === "string" ? result : gatewayText(result.problem ?? "");
    return (
      <output className="problem" dir="auto">
        {t("It does not work: {reason}", { reason })}
      </output>
    );
  }
  return (
    <output>
      {t("It works, after {time}: {tools}", { time: formatDuration(result.durationMs), tools: result.tools.join(", ") || t("no tools") })}
    </output>
  );
}
