import type { AppSession } from "../app/app-session.ts";
import { AppContext, useAppState } from "./app-context.ts";
import { Shell } from "./shell.tsx";
import { TokenForm } from "./token-form.tsx";

interface AppProps {
  readonly session: AppSession | undefined;
  readonly onToken: (token: string) => void;
}

/** The whole page. Without a session, or if the gateway refuses its token, it asks for one. */
export function App({ session, onToken }: AppProps): React.JSX.Element {
  if (session === undefined) return <TokenForm onToken={onToken} />;
  return (
    <AppContext value={session}>
      <Admitted onToken={onToken} />
    </AppContext>
  );
}

function Admitted({ onToken }: Pick<AppProps, "onToken">): React.JSX.Element {
  const connection = useAppState((state) => state.connection);
  if (connection.type === "refused" && connection.reason === "unauthorized")
    return <TokenForm reason={connection.message} onToken={onToken} />;
  return <Shell />;
}
