import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, type RouterHistory } from "@tanstack/react-router";
import { ChatPage } from "../pages/chat/chat-page.tsx";
import { parseContextSearch } from "../pages/context/context-search.ts";
import { parseLogSearch } from "../pages/logs/log-search.ts";
import { parseAutomationsSearch } from "../pages/automations/automations-search.ts";
import { parseMemorySearch } from "../pages/memory/memory-search.ts";
import { parseUsageSearch } from "../pages/usage/usage-search.ts";
import { parseTraceSearch } from "../pages/trace/trace-search.ts";
import { parseSettingsSearch } from "../pages/settings/settings-search.ts";
import { NoSuchPage, PageFault, ShellFault } from "./page-fault.tsx";
import { pageProgram } from "./page-program.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage, errorComponent: ShellFault });

/** A page gets what `parse` makes of the address and nothing else: the router would add every key that stands there, also with a value that `parse` left out. */
function only<Search extends object>(
  parse: (search: Readonly<Record<string, unknown>>) => Search,
): (search: Record<string, unknown>) => Search {
  return (search) => ({ ...Object.fromEntries(Object.keys(search).map((key) => [key, undefined])), ...parse(search) });
}

/** Around the pages that show results of requests. */
const dataPages = createRoute({
  getParentRoute: () => root,
  id: "data",
  component: lazyRouteComponent(
    pageProgram(() => import("../data/data-pages.tsx")),
    "DataPages",
  ),
});

/** The chat is the first page of almost everybody, and loaded with the rest of the application; every other page is loaded when it is opened. */
const routes = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: "/",
    beforeLoad: () => redirect({ to: "/chat/{-$sessionKey}", replace: true, throw: true }),
  }),
  createRoute({ getParentRoute: () => root, path: "/chat/{-$sessionKey}", component: ChatPage }),
  dataPages.addChildren([
    createRoute({
      getParentRoute: () => dataPages,
      path: "/overview",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/overview/overview-page.tsx")),
        "OverviewPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/inbox",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/inbox/inbox-page.tsx")),
        "InboxPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/memory",
      validateSearch: only(parseMemorySearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/memory/memory-page.tsx")),
        "MemoryPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/automations",
      validateSearch: only(parseAutomationsSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/automations/automations-page.tsx")),
        "AutomationsPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/automations/$jobId",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/automations/job-page.tsx")),
        "JobPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/channels",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/channels/channels-page.tsx")),
        "ChannelsPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/channels/new/$channel",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/channels/new-account-page.tsx")),
        "NewAccountPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/channels/$account",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/channels/account-page.tsx")),
        "AccountPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/usage",
      validateSearch: only(parseUsageSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/usage/usage-page.tsx")),
        "UsagePage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/agent/{-$agentId}/{-$tab}",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/agent/agent-page.tsx")),
        "AgentPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/agents",
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/agents/agents-page.tsx")),
        "AgentsPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/logs",
      validateSearch: only(parseLogSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/logs/logs-page.tsx")),
        "LogsPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/trace/$id",
      validateSearch: only(parseTraceSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/trace/trace-page.tsx")),
        "TracePage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/settings/{-$section}",
      validateSearch: only(parseSettingsSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/settings/settings-page.tsx")),
        "SettingsPage",
      ),
    }),
    createRoute({
      getParentRoute: () => dataPages,
      path: "/context/$sessionKey",
      validateSearch: only(parseContextSearch),
      component: lazyRouteComponent(
        pageProgram(() => import("../pages/context/context-page.tsx")),
        "ContextPage",
      ),
    }),
  ]),
]);

function routerOf(history: RouterHistory) {
  return createRouter({
    routeTree: routes,
    history,
    // Of the characters that need no encoding, session keys are full of this one.
    pathParamsAllowedCharacters: [":"],
    defaultErrorComponent: PageFault,
  });
}

/** The router with the type of every route, for checked links. */
export type AppRouter = ReturnType<typeof routerOf>;

/** The application's pages. A fault of one of them leaves the others usable. */
export function createAppRouter(history: RouterHistory): AppRouter {
  return routerOf(history);
}

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}
