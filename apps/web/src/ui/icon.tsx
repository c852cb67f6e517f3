import {
  ArrowDown,
  ArrowUp,
  Bot,
  CalendarClock,
  Check,
  ChartColumn,
  ChevronLeft,
  ChevronRight,
  Clock,
  Ellipsis,
  Gauge,
  Inbox,
  Languages,
  Layers,
  type LucideIcon,
  Menu,
  MessageSquare,
  Mic,
  Monitor,
  NotebookText,
  Moon,
  Paperclip,
  Network,
  Plus,
  ScrollText,
  Search,
  Send,
  Settings,
  Square,
  Sun,
  X,
} from "lucide-react";

/** The icons of the chat and the shell. A page passes its own to `Icon`, so that they are loaded with it. */
const ICONS = {
  chat: MessageSquare,
  inbox: Inbox,
  overview: Gauge,
  automations: CalendarClock,
  memory: NotebookText,
  channels: Send,
  usage: ChartColumn,
  agent: Bot,
  agents: Network,
  logs: ScrollText,
  context: Layers,
  menu: Menu,
  plus: Plus,
  more: Ellipsis,
  send: ArrowUp,
  stop: Square,
  microphone: Mic,
  attach: Paperclip,
  close: X,
  chevron: ChevronRight,
  check: Check,
  cross: X,
  clock: Clock,
  back: ChevronLeft,
  down: ArrowDown,
  up: ArrowUp,
  sun: Sun,
  gear: Settings,
  moon: Moon,
  system: Monitor,
  search: Search,
  language: Languages,
} as const;

/** Name of an icon of the chat or the shell. */
export type IconName = keyof typeof ICONS;

/** A line icon in the text colour. The text next to it, or the name of its button, gives its meaning. */
export function Icon(props: { readonly name: IconName } | { readonly of: LucideIcon }): React.JSX.Element {
  const Drawn = "of" in props ? props.of : ICONS[props.name];
  return <Drawn className="icon" aria-hidden="true" focusable="false" />;
}
