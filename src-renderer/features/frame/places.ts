import {
  Activity,
  Bot,
  HeartPulse,
  History,
  type LucideIcon,
  MessageSquare,
  PencilRuler,
  ScrollText,
  Settings,
  Wrench,
} from 'lucide-react';
import { type WindowPage, WINDOW_PAGE_TITLES, WINDOW_PAGES } from '#contract/window/app-events.js';

const ICONS: Readonly<Record<WindowPage, LucideIcon>> = {
  activity: Activity,
  conversation: MessageSquare,
  compose: PencilRuler,
  history: History,
  tools: Wrench,
  agents: Bot,
  rules: ScrollText,
  health: HeartPulse,
  settings: Settings,
};

export const PAGE_ENTRIES = WINDOW_PAGES.map((place) => ({
  place,
  title: WINDOW_PAGE_TITLES[place],
  Icon: ICONS[place],
}));
