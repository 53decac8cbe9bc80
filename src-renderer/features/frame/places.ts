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
import { type Place, PLACE_TITLES, PLACES } from '#contract/window/app-events.js';

const ICONS: Readonly<Record<Place, LucideIcon>> = {
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

export const PLACE_ENTRIES = PLACES.map((place) => ({ place, title: PLACE_TITLES[place], Icon: ICONS[place] }));
