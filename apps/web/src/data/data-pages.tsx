import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useSession } from "../app/app-context.ts";
import { pageQueriesOf } from "./page-queries.ts";

/** Around the pages that show results of requests. Loaded with the first of them: the chat has a state of its own. */
export function DataPages(): React.JSX.Element {
  return (
    <QueryClientProvider client={pageQueriesOf(useSession())}>
      <Outlet />
    </QueryClientProvider>
  );
}
