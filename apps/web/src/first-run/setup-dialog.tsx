import type { SetupProvider, SetupState } from "@factotum/protocol";
import { lazy, Suspense, useState } from "react";
import type { LoginAccount } from "../channel-login/login-client.ts";
import { LoginList } from "../channel-login/login-list.tsx";
import { LoginSteps } from "../channel-login/login-steps.tsx";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { useSession } from "../app/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { focusOnce } from "../ui/focus-once.ts";
import { stayWithDemo } from "./demo-choice.ts";
import type { FirstStep } from "./first-step.ts";
import { HeartbeatStep } from "./heartbeat-step.tsx";
import { KeyStep } from "./key-step.tsx";
import { ModelStep } from "./model-step.tsx";
import { NameStep } from "./name-step.tsx";
import { NextPages } from "./next-pages.tsx";
import { ProviderStep } from "./provider-step.tsx";
import "./first-run.css";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";

type Place =
  | { readonly step: "provider" }
  | { readonly step: "login"; readonly account: LoginAccount }
  | { readonly step: "key"; readonly provider: SetupProvider }
  | { readonly step: "model"; readonly provider: SetupProvider; readonly models: readonly string[] }
  | { readonly step: "name"; readonly model: string }
  | { readonly step: "channel" | "heartbeat" | "done"; readonly model: string; readonly name: string | undefined };

/** Loaded on demand: it has a form of any channel's settings. */
const ChannelStep = lazy(async () => ({ default: (await import("./channel-step.tsx")).ChannelStep }));

interface SetupDialogProps {
  /** When the dialog was opened. */
  readonly state: SetupState;
  /** The step that it begins with. */
  readonly step: FirstStep;
  readonly onClose: () => void;
}

/** Leads from a provider over its key and model to the assistant's name, a first channel and its heartbeat. Every step can be left, and repeated. */
export function SetupDialog({ state: opened, step, onClose }: SetupDialogProps): React.JSX.Element {
  const { controller, setup } = useSession();
  const [state, setState] = useState(opened);
  const [place, setPlace] = useState<Place>({ step, model: opened.model.reference, name: opened.agent.name });
  const isFirst = opened.model.source === "demo";
  const toProviders = (): void => setPlace({ step: "provider" });
  const refresh = (): void => {
    setup.state().then(setState, (error: unknown) => {
      // The key is stored; without a connection the list is as it was.
      if (!(error instanceof RpcError)) throw error;
    });
  };
  const keep = (): void => {
    if (state.model.source === "demo") stayWithDemo(localStorage);
    setPlace({ step: "name", model: state.model.reference });
  };
  const finish = (model: string, name: string | undefined): void => {
    void controller.refresh();
    setPlace({ step: "done", model, name });
  };
  return (
    <Dialog title={isFirst ? t("Welcome to Factotum") : t("Setup")} className="modal setup" onClose={onClose}>
      {place.step === "provider" ? (
        <>
          <ProviderStep state={state} onKeep={keep} onChoose={(provider) => setPlace({ step: "key", provider })} />
          <LoginList onChoose={(account) => setPlace({ step: "login", account })} />
        </>
      ) : place.step === "login" ? (
        <LoginSteps account={place.account} onBack={toProviders} />
      ) : place.step === "key" ? (
        <KeyStep
          provider={place.provider}
          onBack={toProviders}
          onStored={refresh}
          onDone={(models) => setPlace({ step: "model", provider: place.provider, models })}
        />
      ) : place.step === "model" ? (
        <ModelStep
          provider={place.provider}
          models={place.models}
          onBack={toProviders}
          onDone={(model) => setPlace({ step: "name", model })}
        />
      ) : place.step === "name" ? (
        <NameStep name={state.agent.name ?? ""} onDone={(name) => setPlace({ step: "channel", model: place.model, name })} />
      ) : place.step === "channel" ? (
        <Suspense fallback={null}>
          <ChannelStep accounts={state.channels} onDone={() => setPlace({ ...place, step: "heartbeat" })} />
        </Suspense>
      ) : place.step === "heartbeat" ? (
        <HeartbeatStep agent={state.agent} onDone={() => finish(place.model, place.name)} />
      ) : (
        <div className="setup-step">
          <output>
            {place.name === undefined ? t("All set.") : t("{name} is ready.", { name: place.name })}
            {sentenceSpace()}
            <RichText id="The model is <0>{model}</0>." values={{ model: place.model }} parts={[<code key="0" />]} />
          </output>
          <NextPages onChoose={onClose} />
          <div className="dialog-actions">
            <button type="button" className="button primary" ref={focusOnce} onClick={onClose}>
              {t("Start talking")}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
