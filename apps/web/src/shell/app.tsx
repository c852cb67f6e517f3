import { RouterProvider } from "@tanstack/react-router";
import { AppContext, useAppState } from "../app/app-context.ts";
import type { AppSession } from "../app/app-session.ts";
import type { AppRouter } from "./router.tsx";
import { TokenForm } from "./token-form.tsx";
import { gatewayText } from "../i18n/gateway-text.ts";

/** The app with a token: its state, and its pages. */
export interface OpenApp {
  readonly session: AppSession;
  readonly router: AppRouter;
}

interface AppProps {
  readonly open: OpenApp | undefined;
  readonly onToken: (token: string) => void;
}

/** The whole page. Without a session, or if the gateway refuses its token, it asks for one. */
export function App({ open, onToken }: AppProps): React.JSX.Element {
  if (open === undefined) return <TokenForm onToken={onToken} />;
  return (
    <AppContext value={open.session}>
      <Admitted router={open.router} onToken={onToken} />
    </AppContext>
  );
}

function Admitted({ router, onToken }: Pick<OpenApp, "router"> & Pick<AppProps, "onToken">): React.JSX.Element {
  const connection = useAppState((state) => state.connection);
  if (connection.type === "refused" && connection.reason === "unauthorized")
    return <TokenForm reason={gatewayText(connection.message)} onToken={onToken} />;
  return <RouterProvider router={router} />;
}
