import { useRpc } from "../../data/use-rpc.ts";
import { useFirstRun } from "../../first-run/first-run.tsx";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** The way back to the first run while it is not finished; nothing afterwards. */
export function SetupCard(): React.JSX.Element | null {
  const { data } = useRpc("setup.state", {});
  const { open } = useFirstRun();
  if (data === undefined) return null;
  const { model, agent } = data;
  if (model.source !== "demo" && agent.name !== undefined) return null;
  return (
    <Card title={t("Finish the setup")}>
      <p>
        {model.source === "demo"
          ? t("The demo answers until you choose a provider of models and give it a key.")
          : t("The assistant has no name yet.")}
      </p>
      <div>
        <Button variant="primary" onClick={() => void open()}>
          {t("Continue the setup")}
        </Button>
      </div>
    </Card>
  );
}
